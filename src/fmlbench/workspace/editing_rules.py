"""Check a candidate's files before an experiment.

The rules keep weights and tables out of the tree. Scores do not depend on them: nothing in the tree computes a score.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

from fmlbench.core.task import Editable
from fmlbench.workspace.information import added_information
from fmlbench.workspace.trees import matches

EXTRA_FILES = 200
"""How many files may be added to the baseline's."""
EXTRA_BYTES = 200_000
"""How much longer than the baseline's text the files may be, comments included. It bounds the time of the checks."""
WHAT_COUNTS = (
    "Comments and docstrings are removed before a run and do not count; "
    "new code, names, numbers, strings and file names count, compressed. Copied baseline lines cost next to nothing."
)

_LONGEST_PATH = 400
_LONGEST_PART = 200


@dataclass(frozen=True)
class FileReview:
    """The result of checking a candidate's files."""

    violation: str
    """The first broken rule, as a sentence; empty if no rule is broken."""
    information_bytes: int | None = None
    """How much information they add to the baseline; None if an earlier rule is broken."""


def review_files(
    files: Mapping[str, str],
    baseline_files: Mapping[str, str],
    editable: Editable,
    *,
    repository: Collection[str],
) -> FileReview:
    """Check files against the rules and measure the information that they add to the baseline.

    ``baseline_files`` are the editable files of the original ``repository``. All of the repository's paths are needed
    to detect collisions with new files.
    """
    problem = _problem_with_files(files, baseline_files, editable, repository)
    if problem:
        return FileReview(problem)
    use = added_information(files, baseline_files)
    return FileReview(use.problem or _problem_with_information(use.bytes, editable), use.bytes)


def find_violation(
    files: Mapping[str, str],
    baseline_files: Mapping[str, str],
    editable: Editable,
    *,
    repository: Collection[str],
) -> str | None:
    """The first rule that the files break, as a sentence, or None."""
    return review_files(files, baseline_files, editable, repository=repository).violation or None


def _problem_with_files(
    files: Mapping[str, str],
    baseline_files: Mapping[str, str],
    editable: Editable,
    repository: Collection[str],
) -> str | None:
    if len(files) > len(baseline_files) + EXTRA_FILES:
        return f"There are {len(files)} files; at most {len(baseline_files) + EXTRA_FILES} are allowed."
    problems = (
        problem
        for path, text in files.items()
        if (problem := _problem_with_path(path, editable) or _problem_with_text(path, text))
    )
    kept = set(repository) - baseline_files.keys()
    return next(problems, None) or _problem_with_size(files, baseline_files) or _collision(files, kept)


def _problem_with_path(path: str, editable: Editable) -> str | None:
    if not path.isprintable() or "\\" in path:
        return f"The path {path!r} contains characters that are not allowed in a path."
    parts = PurePosixPath(path).parts
    plain = "/".join(parts)
    too_long = len(path.encode()) > _LONGEST_PATH or any(len(part.encode()) > _LONGEST_PART for part in parts)
    is_editable = matches(path, editable.globs)
    problems = (
        (too_long, f"The path '{path[:60]}...' is too long."),
        (path.startswith("/"), f"The path '{path}' is not relative to the repository."),
        (".." in parts, f"The path '{path}' leads out of the folder it starts in."),
        (not plain or plain != path, f"The path '{path}' is not normalized."),
        (any(part.lower() == ".git" for part in parts), f"The path '{path}' is in a .git folder."),
        (not is_editable, f"'{path}' is not editable; editable files match {', '.join(editable.globs)}."),
    )
    return next((problem for applies, problem in problems if applies), None)


def _problem_with_text(path: str, text: str) -> str | None:
    if "\0" in text:
        return f"'{path}' is not text: it contains a zero byte."
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return f"'{path}' is not text: it cannot be encoded as UTF-8."
    return None


def _problem_with_size(files: Mapping[str, str], baseline: Mapping[str, str]) -> str | None:
    size, allowed = _size_of(files), _size_of(baseline) + EXTRA_BYTES
    if size > allowed:
        return f"The files have {size:,} bytes of text; at most {allowed:,} are allowed."
    return None


def _problem_with_information(size: int, editable: Editable) -> str:
    allowed = editable.information_bytes
    if size > allowed:
        return f"The proposal adds {size:,} bytes of information; at most {allowed:,} are allowed. {WHAT_COUNTS}"
    return ""


def _collision(files: Mapping[str, str], kept: Iterable[str]) -> str | None:
    """The first path that would have to be both a file and a folder, as a sentence."""
    taken = {*files, *kept}
    folders = {str(folder): path for path in taken for folder in PurePosixPath(path).parents}
    for path in files:
        if path in folders:
            return f"'{path}' cannot be a file: '{folders[path]}' needs a folder with that name."
        blocking = next((str(folder) for folder in PurePosixPath(path).parents if str(folder) in taken), None)
        if blocking:
            return f"'{path}' cannot be written: '{blocking}' is a file."
    return None


def _size_of(files: Mapping[str, str]) -> int:
    return sum(len(text.encode("utf-8")) for text in files.values())
