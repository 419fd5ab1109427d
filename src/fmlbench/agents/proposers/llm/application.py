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

    Raises EditProblem with all problems, so that one more attempt can fix them all. ``files`` is not modified.
    """
    changed = dict(files)
    problems: list[str] = []
    meant: list[Lines] = []
    for number, edit in enumerate(edits, start=1):
        try:
            path = _match_case(edit.path, changed) if edit.path else _file_that_defines(edit, changed)
            changed[path] = _edited(replace(edit, path=path), changed, is_editable)
        except EditProblem as problem:
            problems.append(f"Edit {number} ({edit.path or 'no path'}): {problem}")
            meant += [problem.meant] if problem.meant else []
    if not problems and changed == files:
        raise Repetition("its edits change nothing, because the files already contain this code")
    if not problems:
        problems = _defects(files, changed)
    if problems:
        raise EditProblem("\n\n".join(problems), next(iter(meant), None))
    return changed


def _match_case(path: str, files: Mapping[str, str]) -> str:
    """The only file whose path differs just in upper and lower case; else the path unchanged."""
    alike = [known for known in files if known.casefold() == path.casefold()]
    return alike[0] if len(alike) == 1 and path not in files else path


def _file_that_defines(edit: Edit, files: Mapping[str, str]) -> str:
    """The only file that defines one of the same names."""
    names = names_in(edit.text) if isinstance(edit, Definitions) else frozenset[str]()
    found = [path for path, text in files.items() if path.endswith(".py") and names & names_in(text)]
    if len(found) != 1:
        raise EditProblem("The code block has no path above it: write the path of the file to change.")
    return found[0]


def _defects(files: Mapping[str, str], changed: Mapping[str, str]) -> list[str]:
    """Defects that make an experiment pointless: syntax errors, undefined names, functions that lost their return."""
    touched = [path for path in changed if changed[path] != files.get(path) and path.endswith(".py")]
    return [defect for path in touched if (defect := _defect(path, files.get(path), changed[path]))]


def _defect(path: str, before: str | None, after: str) -> str:
    if why := why_not_python(after):
        return f"{path} would not be valid Python: {why}"
    old = before if before and not why_not_python(before) else ""
    if mute := quiet(old, after):
        functions = ", ".join(sorted(mute)[:_MOST_NAMED])
        return f"{path} would have functions that no longer return a value: {functions}. {_LEFT_OUT}"
    missing = missing_names(after) - missing_names(old)
    if not missing:
        return ""
    names = ", ".join(sorted(missing)[:_MOST_NAMED])
    were_there = not missing_names("\n".join((old, *missing))) & missing
    advice = _LEFT_OUT if were_there else "Import or define them, or do not use them."
    return f"{path} would use names that are neither defined nor imported: {names}. {advice}"


def _edited(edit: Edit, files: Mapping[str, str], is_editable: IsEditable) -> str:
    if PurePosixPath(edit.path).is_absolute() or ".." in PurePosixPath(edit.path).parts or not is_editable(edit.path):
        raise EditProblem(f"This file is not editable.{_perhaps(edit.path, files)}", _meant(edit, files))
    before = files.get(edit.path)
    if isinstance(edit, Definitions) and before:
        return _with_line_ends_of(before, redefine(before, edit.text))
    if isinstance(edit, WholeFile) and edit.is_fenced:
        _reject_fragment(before or "", edit)
    if isinstance(edit, WholeFile | Definitions):
        return _with_line_ends_of(before, edit.text)
    if not edit.search:
        return _started(before, edit)
    if before is None:
        raise EditProblem(f"There is no such file.{_perhaps(edit.path, files)}", _meant(edit, files))
    return _replaced(before, edit, files)


def _reject_fragment(before: str, file: WholeFile) -> None:
    """Reject a code block with only part of a file: it is a quotation, or meant to replace only that part."""
    lost = names_in(before) - names_in(file.text) if file.path.endswith(".py") else frozenset[str]()
    if lost:
        names = ", ".join(sorted(lost)[:_MOST_NAMED])
        raise EditProblem(
            f"A code block below a path replaces the whole file, and this one lacks {names}. To change a part of the "
            "file, use a SEARCH and REPLACE block. To remove these names, write the whole file as a FILE block."
        )


def _started(before: str | None, edit: Replacement) -> str:
    """A new file, from a replacement that searches for nothing."""
    if before:
        raise EditProblem("The SEARCH is empty: write the lines to replace.")
    return "".join(f"{line}\n" for line in edit.replace)


def _perhaps(path: str, files: Mapping[str, str]) -> str:
    """A suggestion of files: those with the same name, else all."""
    namesakes = [known for known in files if PurePosixPath(known).name == PurePosixPath(path).name]
    if namesakes:
        return f" Did you mean {' or '.join(namesakes[:3])}?"
    return f" Editable files: {', '.join(sorted(files)[:_MOST_NAMED])}."


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
            f"The SEARCH lines occur {len(found)} times in the file, at lines {numbers}: add lines above or below "
            f"until they match only once. The matches are:\n\n{fragments}"
        )
    (match,) = found
    stop = match.start + len(edit.search)
    end = lines[match.start][1] or _usual_end(before)
    fresh = [(match.adapt(line), end) for line in edit.replace]
    if stop == len(lines) and fresh:
        fresh[-1] = (fresh[-1][0], lines[-1][1])
    return "".join(text + end for text, end in (*lines[: match.start], *fresh, *lines[stop:]))


def _not_found(edit: Replacement, files: Mapping[str, str]) -> EditProblem:
    """Say which file contains the lines, or show the most similar lines of any file."""
    meant = _meant(edit, files)
    if meant is None:
        return EditProblem("The SEARCH lines are not in the file. All files are empty.")
    if find(edit.search, files[meant.path].splitlines()):
        reason = f"The SEARCH lines are not in the file, but in {meant.path}: write that path above them."
    else:
        shown = "\n".join(meant.lines)
        reason = f"The SEARCH lines are not in the file. The most similar lines are in {meant.path}:\n\n{shown}"
    return EditProblem(reason, meant)


def _meant(edit: Edit, files: Mapping[str, str]) -> Lines | None:
    """The lines of any file that are most similar to those of an edit; on a tie those of the edit's file."""
    if not isinstance(edit, Replacement) or not edit.search:
        return None
    texts = {path: files[path].splitlines() for path in sorted(files, key=lambda path: path != edit.path)}
    if holder := next((path for path, lines in texts.items() if find(edit.search, lines)), ""):
        return Lines(holder, edit.search)
    nearest = {path: nearest_lines(edit.search, lines) for path, lines in texts.items()}
    path = max(nearest, key=lambda path: nearest[path].likeness, default=edit.path)
    return Lines(path, nearest[path].lines) if nearest and nearest[path].lines else None


def _split(text: str) -> list[tuple[str, str]]:
    """Pairs of a line and its line ending: LF, CRLF, or empty at the end of the file."""
    *whole, last = text.split("\n")
    lines = [(line[:-1], "\r\n") if line.endswith("\r") else (line, "\n") for line in whole]
    return [*lines, (last, "")] if last else lines


def _usual_end(text: str) -> str:
    return "\r\n" if text.count("\r\n") * 2 > text.count("\n") else "\n"


def _with_line_ends_of(before: str | None, text: str) -> str:
    plain = text.replace("\r\n", "\n")
    return plain.replace("\n", "\r\n") if before and _usual_end(before) == "\r\n" else plain
