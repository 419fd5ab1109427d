"""Store every step's files as a branching git history that any git tool can browse.

The git directory is outside of every workspace. Commits have a fixed author and date: the same files with the same
parents are the same commit, so storing again after a crash changes nothing.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from fmlbench.core.errors import InfraTrouble, RunDamaged
from fmlbench.workspace.files import disk_trouble_explained, replace_folder, scratch_beside
from fmlbench.workspace.git import Git, GitFailed, create_repository, is_commit_id

_COMMITTER = "fmlbench <fmlbench@localhost> 946684800 +0000"
_COMMIT_LINE = re.compile(r"^[0-9a-f]{40}\n", re.MULTILINE)
"""The header line of each of several diffs; no line within a diff matches it."""


class Snapshots:
    """The snapshots of one run; one process at a time may store."""

    def __init__(self, git_dir: Path) -> None:
        self._git = Git(git_dir)

    def store(self, files: Mapping[str, str], parents: Sequence[str], message: str, ref: str) -> str:
        """Store files as a commit on ``ref`` and return its id; when this returns, it is on disk.

        The files must satisfy the editing rules: git rejects or changes other paths.
        """
        self._make_ready(ref)
        stream = _commit_stream(files, parents, message, ref)
        try:
            answer = self._git.run("fast-import", "--quiet", "--force", "--done", stdin=stream)
        except GitFailed as error:
            raise InfraTrouble(
                f"A snapshot could not be stored in '{self._git.git_dir}': {error}.",
                hint="Check whether the disk is full, then resume the run.",
            ) from error
        return answer.decode("ascii").strip()

    def read(self, commit: str) -> dict[str, str]:
        """The files of a snapshot, by path."""
        self._require(commit)
        return {path: content.decode("utf-8") for path, content in self._git.files_of(commit)}

    def read_all(self, commits: Sequence[str]) -> dict[str, dict[str, str]]:
        """The files of many snapshots, by commit and path."""
        if not commits:
            return {}
        self._require(*commits)
        return {
            commit: {path: content.decode("utf-8") for path, content in files.items()}
            for commit, files in self._git.files_of_all(commits).items()
        }

    def diff(self, before: str, after: str) -> str:
        """What changed between two snapshots, as a unified diff."""
        self._require(before, after)
        output = self._git.run("diff-tree", "-r", "-p", "--text", "--no-color", "--no-ext-diff", before, after)
        return output.decode("utf-8", "replace")

    def diffs(self, pairs: Sequence[tuple[str, str]]) -> list[str]:
        """The diffs of many (before, after) pairs, with one git call."""
        if not pairs:
            return []
        self._require(*(commit for pair in pairs for commit in pair))
        # diff-tree --stdin compares the first commit of a line with the second one.
        lines = "".join(f"{after} {before}\n" for before, after in pairs).encode("ascii")
        arguments = ("--stdin", "--always", "-r", "-p", "--text", "--no-color", "--no-ext-diff")
        output = self._git.run("diff-tree", *arguments, stdin=lines).decode("utf-8", "replace")
        return _COMMIT_LINE.split(output)[1:]

    def exists(self, commit: str) -> bool:
        """Whether this snapshot exists."""
        return not self._missing([commit])

    def _make_ready(self, ref: str) -> None:
        git_dir = self._git.git_dir
        if not git_dir.is_dir():
            with disk_trouble_explained(git_dir.parent), scratch_beside(git_dir) as scratch:
                create_repository(scratch / "git", first_branch=ref.removeprefix("refs/heads/"))
                replace_folder(scratch / "git", git_dir)
        # This process is the only writer, so existing locks belong to a killed one.
        for locked in (ref, "HEAD"):
            (git_dir / f"{locked}.lock").unlink(missing_ok=True)

    def _require(self, *commits: str) -> None:
        for commit in self._missing(commits):
            raise RunDamaged(
                f"There is no snapshot '{commit}' in '{self._git.git_dir}'.",
                hint="Restore that folder from a copy; the run cannot continue without it.",
            )

    def _missing(self, commits: Sequence[str]) -> list[str]:
        if not self._git.git_dir.is_dir():
            return list(commits)
        named = [commit for commit in commits if is_commit_id(commit)]
        questions = "".join(f"{commit}\n" for commit in named).encode("ascii")
        try:
            answers = self._git.run("cat-file", "--batch-check=%(objectname) %(objecttype)", stdin=questions)
        except GitFailed:
            return list(commits)
        found = {line[:40] for line in answers.decode("ascii").splitlines() if line.endswith(" commit")}
        return [commit for commit in commits if commit not in found]


def _commit_stream(files: Mapping[str, str], parents: Sequence[str], message: str, ref: str) -> bytes:
    """A commit in git fast-import format; its parents are given, independent of the ref's previous value."""
    lines = [f"commit {ref}", "mark :1", f"committer {_COMMITTER}", _data(_plain(message))]
    lines += [f"{'merge' if index else 'from'} {parent}" for index, parent in enumerate(parents)]
    lines += ["deleteall"]
    for path, text in sorted(files.items()):
        lines += [f"M 100644 inline {_quoted(path)}", _data(text)]
    lines += ["", "get-mark :1", "done", ""]
    return "\n".join(lines).encode("utf-8")


def _data(text: str) -> str:
    return f"data {len(text.encode('utf-8'))}\n{text}"


def _plain(message: str) -> str:
    """The message without zero bytes and lone surrogates, which models can produce and git cannot store."""
    return message.replace("\0", "").encode("utf-8", "replace").decode("utf-8")


def _quoted(path: str) -> str:
    return '"' + path.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
