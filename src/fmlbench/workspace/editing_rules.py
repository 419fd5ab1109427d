"""What a candidate's files must keep to before anything is run.

The rules keep weights, tables and tricks out of the tree; they guard no score, since nothing in the tree scores.
"""

from collections.abc import Collection, Iterable, Mapping
from pathlib import PurePosixPath

from fmlbench.core.task import Editable
from fmlbench.workspace.globs import matches

EXTRA_FILES = 200
"""How many files may be added to the baseline's."""

_LONGEST_PATH = 400
_LONGEST_PART = 200


def find_violation(
    files: Mapping[str, str],
    baseline_files: Mapping[str, str],
    editable: Editable,
    *,
    repository: Collection[str],
) -> str | None:
    """The first rule that the files break, in words, or None.

    ``baseline_files`` are the editable files of the untouched ``repository``, whose paths are all needed to tell
    whether a new file would have to lie where something else already is.
    """
    if len(files) > len(baseline_files) + EXTRA_FILES:
        return f"There are {len(files)} files; at most {len(baseline_files) + EXTRA_FILES} are allowed."
    problems = (
        problem
        for path, text in files.items()
        if (problem := _problem_with_path(path, editable) or _problem_with_text(path, text))
    )
    kept = set(repository) - baseline_files.keys()
    return next(problems, None) or _problem_with_size(files, baseline_files, editable) or _collision(files, kept)


def _problem_with_path(path: str, editable: Editable) -> str | None:
    if not path.isprintable() or "\\" in path:
        return f"The path {path!r} holds characters that do not belong in a path."
    parts = PurePosixPath(path).parts
    plain = "/".join(parts)
    too_long = len(path.encode()) > _LONGEST_PATH or any(len(part.encode()) > _LONGEST_PART for part in parts)
    is_editable = matches(path, editable.globs)
    problems = (
        (too_long, f"The path '{path[:60]}...' is too long."),
        (path.startswith("/"), f"The path '{path}' is not relative to the repository."),
        (".." in parts, f"The path '{path}' leads out of the folder it starts in."),
        (not plain or plain != path, f"The path '{path}' is not written plainly."),
        (any(part.lower() == ".git" for part in parts), f"The path '{path}' lies in a .git folder."),
        (not is_editable, f"'{path}' is not editable; editable is what matches {', '.join(editable.globs)}."),
    )
    return next((problem for is_so, problem in problems if is_so), None)


def _problem_with_text(path: str, text: str) -> str | None:
    if "\0" in text:
        return f"'{path}' is not text: it holds a zero byte."
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return f"'{path}' is not text: it cannot be written as UTF-8."
    return None


def _problem_with_size(files: Mapping[str, str], baseline: Mapping[str, str], editable: Editable) -> str | None:
    size, allowed = _size_of(files), _size_of(baseline) + editable.extra_bytes
    if size > allowed:
        return f"The files hold {size} bytes of text; at most {allowed} are allowed."
    return None


def _collision(files: Mapping[str, str], kept: Iterable[str]) -> str | None:
    """Whether a path would have to be a file and a folder at once."""
    taken = {*files, *kept}
    folders = {str(folder): path for path in taken for folder in PurePosixPath(path).parents}
    for path in files:
        if path in folders:
            return f"'{path}' cannot be a file: '{folders[path]}' needs a folder of that name."
        blocking = next((str(folder) for folder in PurePosixPath(path).parents if str(folder) in taken), None)
        if blocking:
            return f"'{path}' cannot be written: '{blocking}' is a file."
    return None


def _size_of(files: Mapping[str, str]) -> int:
    return sum(len(text.encode("utf-8")) for text in files.values())
