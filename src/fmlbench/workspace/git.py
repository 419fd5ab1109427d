"""Run git on a bare repository without user or system settings, hooks and prompts, and fetch commits.

Files are read from and written to the object store directly. There is no checkout, because it would run filters, apply
attributes and fail on unusual paths.
"""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from fmlbench.core.errors import InfraTrouble
from fmlbench.core.progress import Progress
from fmlbench.core.sources import GitSource
from fmlbench.workspace.archives import safe_path
from fmlbench.workspace.downloads import SourceFailed, run_program

_SETTINGS = (
    # A snapshot must be on disk before the log refers to it.
    *("-c", "core.fsync=committed,loose-object,reference"),
    *("-c", "core.fsyncObjectFiles=true"),
    *("-c", f"core.hooksPath={os.devnull}"),
    *("-c", "core.quotePath=false"),
    *("-c", "gc.auto=0"),
)
_PLAIN_FILES = (b"100644", b"100755", b"100664")
_FOLDER = b"40000"
_HASH_BYTES = 20
_OWN_SETTINGS = re.compile(
    r"\s*(?:\[core\]\s*(?:(?:repositoryformatversion|filemode|bare|ignorecase|precomposeunicode|symlinks|logallrefupdates)"
    r" = (?:0|true|false)\s*)*)?"
)
"""The settings that git writes into a new bare repository."""
_REDIRECTIONS = ("commondir", "config.worktree", "objects/info/alternates", "objects/info/http-alternates")
"""Files through which a repository uses settings or objects of another folder."""


class GitFailed(Exception):
    """A git command failed; the message is the last line of its output."""


@dataclass(frozen=True)
class Git:
    """Git on one bare repository."""

    git_dir: Path

    def run(self, *arguments: str, stdin: bytes = b"") -> bytes:
        """Run one git command on the repository and return its output."""
        self._require_default_settings()
        # With an explicit --git-dir, git does not check the owner of the folder.
        command = [find_git(), f"--git-dir={self.git_dir}", *_SETTINGS, *arguments]
        done = subprocess.run(command, input=stdin, capture_output=True, env=self._environment, check=False)
        if done.returncode != 0:
            lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
            raise GitFailed(lines[-1] if lines else f"git {arguments[0]} failed with code {done.returncode}")
        return done.stdout

    def _require_default_settings(self) -> None:
        """Reject a repository with other settings than git's defaults: they can name programs that git would run.

        Imported runs, and so their repositories, are untrusted.
        """
        settings = self.git_dir / "config"
        is_plain = not settings.exists() or (
            not settings.is_symlink() and _OWN_SETTINGS.fullmatch(settings.read_text("utf-8", "replace"))
        )
        found = [name for name in _REDIRECTIONS if os.path.lexists(self.git_dir / name)]
        if not is_plain or found:
            raise GitFailed(f"the repository has custom settings ({(found or ['config'])[0]})")

    def files_of(self, commit: str) -> Iterator[tuple[str, bytes]]:
        """Every regular file of a commit, by path; links and submodules are skipped."""
        listing = self.run("ls-tree", "-r", "-z", "--full-tree", commit).split(b"\0")[:-1]
        facts = (line.split(b"\t", 1) for line in listing)
        blobs = [(fact.split()[2], path) for fact, path in facts if fact.split()[0] in _PLAIN_FILES]
        for (_, path), content in zip(blobs, self._contents([blob for blob, _ in blobs]), strict=True):
            yield path.decode("utf-8", "surrogateescape"), content

    def files_of_all(self, commits: Sequence[str]) -> dict[str, dict[str, bytes]]:
        """The files of many commits with few git calls; shared objects are read once."""
        found: dict[str, dict[str, bytes]] = {commit: {} for commit in commits}
        folders = [(commit, b"", f"{commit}^{{tree}}".encode("ascii")) for commit in commits]
        blobs: list[tuple[str, bytes, bytes]] = []
        while folders:
            listings = self._distinct_contents([tree for _, _, tree in folders])
            entries = [
                (commit, above + name, mode, item)
                for commit, above, tree in folders
                for mode, name, item in _entries(listings[tree])
            ]
            blobs += [(commit, path, item) for commit, path, mode, item in entries if mode in _PLAIN_FILES]
            folders = [(commit, path + b"/", item) for commit, path, mode, item in entries if mode == _FOLDER]
        contents = self._distinct_contents([item for _, _, item in blobs])
        for commit, path, item in blobs:
            found[commit][path.decode("utf-8", "surrogateescape")] = contents[item]
        return found

    def _distinct_contents(self, names: Sequence[bytes]) -> dict[bytes, bytes]:
        distinct = list(dict.fromkeys(names))
        return dict(zip(distinct, self._contents(distinct), strict=True))

    def _contents(self, names: Sequence[bytes]) -> Iterator[bytes]:
        """The contents of the objects with these names, in order."""
        output = self.run("cat-file", "--batch", stdin=b"".join(name + b"\n" for name in names))
        start = 0
        for _ in names:
            header_end = output.index(b"\n", start)
            size = int(output[start:header_end].rsplit(b" ", 1)[1])
            start = header_end + 1 + size + 1
            yield output[header_end + 1 : start - 1]

    @property
    def _environment(self) -> dict[str, str]:
        return {
            "PATH": os.defpath,
            "HOME": str(self.git_dir),
            "LC_ALL": "C",
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": os.devnull,
        }


def _entries(tree: bytes) -> Iterator[tuple[bytes, bytes, bytes]]:
    """The entries of a tree object: mode, name and object id."""
    start = 0
    while start < len(tree):
        end = tree.index(b"\0", start)
        mode, name = tree[start:end].split(b" ", 1)
        start = end + 1 + _HASH_BYTES
        yield mode, name, tree[end + 1 : start].hex().encode("ascii")


def create_repository(git_dir: Path, first_branch: str = "main") -> None:
    """Create an empty bare repository; ``first_branch`` is the branch that git tools show by default."""
    Git(git_dir).run("init", "--quiet", "--bare", "--template=", f"--initial-branch={first_branch}", str(git_dir))


def find_git() -> str:
    """The path of the git program."""
    git = shutil.which("git")
    if git is None:
        raise InfraTrouble("git is not installed.", hint="Install it with your system's package manager.")
    return git


def is_commit_id(text: str) -> bool:
    """Whether this is a full commit hash, so neither an option nor a revision expression."""
    return re.fullmatch("[0-9a-f]{40}", text) is not None


def fetch_commit(source: GitSource, folder: Path, *, start: Path, progress: Progress) -> Path:
    """Fetch a commit into an empty folder and return the folder of its files; a relative URL starts at ``start``.

    The commit's hash is the checksum: git computes it from the received data. Files are read from the object store,
    so that no filter or attribute can change them.
    """
    if shutil.which("git") is None:
        raise SourceFailed("git is not installed")
    git_dir, files = folder / "git", folder / "files"
    create_repository(git_dir)
    progress.start(f"Fetching {source.url}")
    try:
        _fetch(source, git_dir, start)
    finally:
        progress.finish()
    try:
        for path, content in Git(git_dir).files_of(source.commit):
            target = files / safe_path(path)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
    except GitFailed as error:
        raise SourceFailed(f"the repository has no commit {source.commit}") from error
    return files


def _fetch(source: GitSource, git_dir: Path, start: Path) -> None:
    # The user's git settings are used for proxies and certificates. Prompts are off, because they would wait forever.
    fetch = ["env", "GIT_TERMINAL_PROMPT=0", "git", f"--git-dir={git_dir}", "fetch", "--quiet", "--no-tags"]
    try:
        run_program([*fetch, "--depth=1", "--", source.url, source.commit], start, _reason_of_git)
    except SourceFailed:
        # Some servers only serve branches and tags.
        everything = ["+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*"]
        run_program([*fetch, "--", source.url, *everything], start, _reason_of_git)


def _reason_of_git(output: str) -> str:
    errors = [line.removeprefix("fatal: ") for line in output.splitlines() if line.startswith("fatal: ")]
    return errors[0] if errors else ""
