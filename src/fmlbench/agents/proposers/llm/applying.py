"""Apply a model's edits to files: all of them, or none."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import PurePosixPath

from fmlbench.agents.proposers.llm.edits import Edit, EditProblem, Lines, Replacement, WholeFile
from fmlbench.agents.proposers.llm.matching import find
from fmlbench.agents.proposers.llm.nearest import around, nearest_lines
from fmlbench.agents.proposers.llm.python import why_not_python

IsEditable = Callable[[str], bool]
_MOST_NAMED = 20
_MOST_PLACES = 3


def apply(edits: Sequence[Edit], files: Mapping[str, str], is_editable: IsEditable) -> dict[str, str]:
    """The files after the edits, each made on the result of those before it.

    Raises EditProblem with everything that is wrong, so that one more try can mend it all. ``files`` stay as they are.
    """
    changed = dict(files)
    problems: list[str] = []
    meant: list[Lines] = []
    for number, edit in enumerate(edits, start=1):
        try:
            changed[edit.path] = _edited(edit, changed, is_editable)
        except EditProblem as problem:
            problems.append(f"Edit {number} ({edit.path}): {problem}")
            meant += [problem.meant] if problem.meant else []
    if not problems:
        problems = _faults(files, changed)
    if problems:
        raise EditProblem("\n\n".join(problems), next(iter(meant), None))
    return changed


def _faults(files: Mapping[str, str], changed: Mapping[str, str]) -> list[str]:
    """What makes a change not worth an experiment: it is none, or leaves Python that is none."""
    if changed == files:
        return ["The edits leave every file as it is: what shall stand there must differ from what stands there now."]
    touched = [path for path in changed if changed[path] != files.get(path) and path.endswith(".py")]
    faults = {path: why_not_python(changed[path]) for path in touched}
    return [f"{path} would no longer be Python: {fault}" for path, fault in faults.items() if fault]


def _edited(edit: Edit, files: Mapping[str, str], is_editable: IsEditable) -> str:
    if PurePosixPath(edit.path).is_absolute() or ".." in PurePosixPath(edit.path).parts or not is_editable(edit.path):
        raise EditProblem(f"This file may not be changed.{_perhaps(edit.path, files)}", _meant(edit, files))
    before = files.get(edit.path)
    if isinstance(edit, WholeFile):
        return _with_line_ends_of(before, edit.text)
    if not edit.search:
        return _started(before, edit)
    if before is None:
        raise EditProblem(f"There is no such file.{_perhaps(edit.path, files)}", _meant(edit, files))
    return _replaced(before, edit, files)


def _started(before: str | None, edit: Replacement) -> str:
    """A new file, from a replacement that searches for nothing."""
    if before:
        raise EditProblem("An empty SEARCH fits everywhere: write the lines that are to be replaced.")
    return "".join(f"{line}\n" for line in edit.replace)


def _perhaps(path: str, files: Mapping[str, str]) -> str:
    """Which file may have been meant: one of the same name, else any that there are."""
    namesakes = [known for known in files if PurePosixPath(known).name == PurePosixPath(path).name]
    if namesakes:
        return f" Did you mean {' or '.join(namesakes[:3])}?"
    return f" There are: {', '.join(sorted(files)[:_MOST_NAMED])}."


def _replaced(before: str, edit: Replacement, files: Mapping[str, str]) -> str:
    lines = _split(before)
    texts = [text for text, _ in lines]
    found = find(edit.search, texts)
    if not found:
        raise _not_found(edit, files)
    if len(found) > 1:
        numbers = ", ".join(str(match.start + 1) for match in found[:9])
        places = "\n\n".join(around(match.start, edit.search, texts) for match in found[:_MOST_PLACES])
        raise EditProblem(
            f"The SEARCH lines are in the file {len(found)} times, at lines {numbers}: add lines above or below them "
            f"until only one place fits. The places are:\n\n{places}"
        )
    (match,) = found
    stop = match.start + len(edit.search)
    end = lines[match.start][1] or _usual_end(before)
    fresh = [(match.adapt(line), end) for line in edit.replace]
    if stop == len(lines) and fresh:
        fresh[-1] = (fresh[-1][0], lines[-1][1])
    return "".join(text + end for text, end in (*lines[: match.start], *fresh, *lines[stop:]))


def _not_found(edit: Replacement, files: Mapping[str, str]) -> EditProblem:
    """The lines stand in another file, or nearly so in this one or in another."""
    meant = _meant(edit, files)
    if meant is None:
        return EditProblem("The SEARCH lines are not in the file. All files are empty.")
    if find(edit.search, files[meant.path].splitlines()):
        reason = f"The SEARCH lines are not in the file, but in {meant.path}: write that path above them."
    else:
        shown = "\n".join(meant.lines)
        reason = f"The SEARCH lines are not in the file. The closest lines that there are, in {meant.path}:\n\n{shown}"
    return EditProblem(reason, meant)


def _meant(edit: Edit, files: Mapping[str, str]) -> Lines | None:
    """The lines of any file that come closest to those an edit looks for; its own file first where two are as close."""
    if isinstance(edit, WholeFile) or not edit.search:
        return None
    texts = {path: files[path].splitlines() for path in sorted(files, key=lambda path: path != edit.path)}
    if holder := next((path for path, lines in texts.items() if find(edit.search, lines)), ""):
        return Lines(holder, edit.search)
    nearest = {path: nearest_lines(edit.search, lines) for path, lines in texts.items()}
    path = max(nearest, key=lambda path: nearest[path].likeness, default=edit.path)
    return Lines(path, nearest[path].lines) if nearest and nearest[path].lines else None


def _split(text: str) -> list[tuple[str, str]]:
    """Lines with their ends apart; an end is a newline, a return and a newline, or nothing at the end of the file."""
    *whole, last = text.split("\n")
    lines = [(line[:-1], "\r\n") if line.endswith("\r") else (line, "\n") for line in whole]
    return [*lines, (last, "")] if last else lines


def _usual_end(text: str) -> str:
    return "\r\n" if text.count("\r\n") * 2 > text.count("\n") else "\n"


def _with_line_ends_of(before: str | None, text: str) -> str:
    plain = text.replace("\r\n", "\n")
    return plain.replace("\n", "\r\n") if before and _usual_end(before) == "\r\n" else plain
