"""Apply a model's edits to files: all of them, or none."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from fmlbench.agents.proposers.llm.definitions import names_in, redefine
from fmlbench.agents.proposers.llm.edits import (
    Definitions,
    Edit,
    EditProblem,
    Lines,
    Repetition,
    Replacement,
    WholeFile,
)
from fmlbench.agents.proposers.llm.nearest import around, nearest_lines
from fmlbench.agents.proposers.llm.python import missing_names, quiet, why_not_python
from fmlbench.agents.proposers.llm.search import find

IsEditable = Callable[[str], bool]
_MOST_NAMED = 20
_MOST_PLACES = 3
_LEFT_OUT = "Did you leave out lines that must stay?"


def apply(edits: Sequence[Edit], files: Mapping[str, str], is_editable: IsEditable) -> dict[str, str]:
    """The files after the edits, each made on the result of those before it.

    Raises EditProblem with everything that is wrong, so that one more try can mend it all. ``files`` stay as they are.
    """
    changed = dict(files)
    problems: list[str] = []
    meant: list[Lines] = []
    for number, edit in enumerate(edits, start=1):
        try:
            path = _spelt_as_known(edit.path, changed) if edit.path else _file_that_defines(edit, changed)
            changed[path] = _edited(replace(edit, path=path), changed, is_editable)
        except EditProblem as problem:
            problems.append(f"Edit {number} ({edit.path or 'of what?'}): {problem}")
            meant += [problem.meant] if problem.meant else []
    if not problems and changed == files:
        raise Repetition("its edits leave every file as it is, what they write stands there already")
    if not problems:
        problems = _faults(files, changed)
    if problems:
        raise EditProblem("\n\n".join(problems), next(iter(meant), None))
    return changed


def _spelt_as_known(path: str, files: Mapping[str, str]) -> str:
    """The only file whose name differs in nothing but capitals; else the path as it is."""
    alike = [known for known in files if known.casefold() == path.casefold()]
    return alike[0] if len(alike) == 1 and path not in files else path


def _file_that_defines(edit: Edit, files: Mapping[str, str]) -> str:
    """The only file that has something of the names that are defined."""
    names = names_in(edit.text) if isinstance(edit, Definitions) else frozenset[str]()
    found = [path for path, text in files.items() if path.endswith(".py") and names & names_in(text)]
    if len(found) != 1:
        raise EditProblem("The code block has no path above it: write there which file is to be changed.")
    return found[0]


def _faults(files: Mapping[str, str], changed: Mapping[str, str]) -> list[str]:
    """What makes a change not worth an experiment: Python that is none, lacks what it uses, or lost its end."""
    touched = [path for path in changed if changed[path] != files.get(path) and path.endswith(".py")]
    return [fault for path in touched if (fault := _fault(path, files.get(path), changed[path]))]


def _fault(path: str, before: str | None, after: str) -> str:
    if why := why_not_python(after):
        return f"{path} would no longer be Python: {why}"
    old = before if before and not why_not_python(before) else ""
    if mute := quiet(old, after):
        told = ", ".join(sorted(mute)[:_MOST_NAMED])
        return f"{path} would have functions that no longer return anything: {told}. {_LEFT_OUT}"
    missing = missing_names(after) - missing_names(old)
    if not missing:
        return ""
    names = ", ".join(sorted(missing)[:_MOST_NAMED])
    were_there = not missing_names("\n".join((old, *missing))) & missing
    advice = _LEFT_OUT if were_there else "Import or define it, or do without it."
    return f"{path} would use what is neither defined nor imported in it: {names}. {advice}"


def _edited(edit: Edit, files: Mapping[str, str], is_editable: IsEditable) -> str:
    if PurePosixPath(edit.path).is_absolute() or ".." in PurePosixPath(edit.path).parts or not is_editable(edit.path):
        raise EditProblem(f"This file may not be changed.{_perhaps(edit.path, files)}", _meant(edit, files))
    before = files.get(edit.path)
    if isinstance(edit, Definitions) and before:
        return _with_line_ends_of(before, redefine(before, edit.text))
    if isinstance(edit, WholeFile) and edit.is_fenced:
        _refuse_fragment(before or "", edit)
    if isinstance(edit, WholeFile | Definitions):
        return _with_line_ends_of(before, edit.text)
    if not edit.search:
        return _started(before, edit)
    if before is None:
        raise EditProblem(f"There is no such file.{_perhaps(edit.path, files)}", _meant(edit, files))
    return _replaced(before, edit, files)


def _refuse_fragment(before: str, file: WholeFile) -> None:
    """Part of a file in a code block is quoted, or to take the place of that part alone."""
    lost = names_in(before) - names_in(file.text) if file.path.endswith(".py") else frozenset[str]()
    if lost:
        names = ", ".join(sorted(lost)[:_MOST_NAMED])
        raise EditProblem(
            f"A code block below a path is the whole file, and this one lacks {names}. To change a part of the file, "
            "write SEARCH and REPLACE; to write it anew without them, a FILE block."
        )


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
        fragments = "\n\n".join(around(match.start, edit.search, texts) for match in found[:_MOST_PLACES])
        raise EditProblem(
            f"The SEARCH lines are in the file {len(found)} times, at lines {numbers}: add lines above or below them "
            f"until only one place fits. The places are:\n\n{fragments}"
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
    if not isinstance(edit, Replacement) or not edit.search:
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
