"""Talk to git in a world of its own: no user's or machine's settings, no hooks, no prompts, no work tree.

Files are read from and written to the object store directly. A checkout would run filters, obey attributes and trip
over paths; nothing here ever checks anything out.
"""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from fmlbench.core.errors import InfraTrouble

_SETTINGS = (
    # A snapshot must be on the disk before the log names it.
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
"""What git itself writes into the settings of a new bare repository."""
_REDIRECTIONS = ("commondir", "config.worktree", "objects/info/alternates", "objects/info/http-alternates")
"""Files by which a repository takes settings or objects from elsewhere."""


class GitFailed(Exception):
    """Git said no; the message is its last line."""


@dataclass(frozen=True)
class Git:
    """Git on one bare repository."""

    git_dir: Path

    def run(self, *arguments: str, stdin: bytes = b"") -> bytes:
        """Run one git command on the repository and return its output."""
        self._insist_on_own_settings()
        # A named git dir is never searched for, so git has no reason to doubt who owns it.
        command = [find_git(), f"--git-dir={self.git_dir}", *_SETTINGS, *arguments]
        done = subprocess.run(command, input=stdin, capture_output=True, env=self._environment, check=False)
        if done.returncode != 0:
            lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
            raise GitFailed(lines[-1] if lines else f"git {arguments[0]} failed with code {done.returncode}")
        return done.stdout

    def _insist_on_own_settings(self) -> None:
        """Refuse a repository with settings that git did not write: they can name programs that git would run.

        Runs come from strangers, too, and so do their repositories.
        """
        settings = self.git_dir / "config"
        is_plain = not settings.exists() or (
            not settings.is_symlink() and _OWN_SETTINGS.fullmatch(settings.read_text("utf-8", "replace"))
        )
        found = [name for name in _REDIRECTIONS if os.path.lexists(self.git_dir / name)]
        if not is_plain or found:
            raise GitFailed(f"the repository has settings of its own ({(found or ['config'])[0]})")

    def files_of(self, commit: str) -> Iterator[tuple[str, bytes]]:
        """Every plain file of a commit, by path; links and submodules are no files."""
        listing = self.run("ls-tree", "-r", "-z", "--full-tree", commit).split(b"\0")[:-1]
        facts = (line.split(b"\t", 1) for line in listing)
        blobs = [(fact.split()[2], path) for fact, path in facts if fact.split()[0] in _PLAIN_FILES]
        for (_, path), content in zip(blobs, self._contents([blob for blob, _ in blobs]), strict=True):
            yield path.decode("utf-8", "surrogateescape"), content

    def files_of_all(self, commits: Sequence[str]) -> dict[str, dict[str, bytes]]:
        """The same for many commits, by a few calls of git however many they are: what they share is read once."""
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
        """What the objects of these names hold, in their order."""
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
    """What is in a folder: mode, name, and the name of the object that it is."""
    start = 0
    while start < len(tree):
        end = tree.index(b"\0", start)
        mode, name = tree[start:end].split(b" ", 1)
        start = end + 1 + _HASH_BYTES
        yield mode, name, tree[end + 1 : start].hex().encode("ascii")


def create_repository(git_dir: Path, first_branch: str = "main") -> None:
    """Make an empty bare repository; ``first_branch`` is what git tools show unless told otherwise."""
    Git(git_dir).run("init", "--quiet", "--bare", "--template=", f"--initial-branch={first_branch}", str(git_dir))


def find_git() -> str:
    """Git's own path."""
    git = shutil.which("git")
    if git is None:
        raise InfraTrouble("git is not installed.", hint="Install it with your system's package manager.")
    return git


def is_commit_id(text: str) -> bool:
    """Whether this is a whole commit hash, and so neither an option nor an expression."""
    return re.fullmatch("[0-9a-f]{40}", text) is not None
