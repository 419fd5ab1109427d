"""Format a change in the edit format of the run: small models copy the format that they see."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher

from fmlbench.agents.proposers.llm.definitions import changed_statements, names_in
from fmlbench.agents.proposers.llm.edits import Replacement
from fmlbench.agents.proposers.llm.fences import fenced
from fmlbench.agents.proposers.llm.search import find

_MOST_AROUND = 3


def format_change(before: Mapping[str, str], after: Mapping[str, str], edit_format: str = "blocks") -> str:
    """The edits that turn ``before`` into ``after``."""
    return "\n\n".join(_edits(before, after, _as_definitions if edit_format == "definitions" else _as_blocks))


def _edits(
    before: Mapping[str, str], after: Mapping[str, str], write: Callable[[str, str | None, str], str]
) -> Iterator[str]:
    for path in sorted(before.keys() | after.keys()):
        if path not in after:
            yield f"{path} was deleted."
        elif before.get(path) != after[path]:
            yield write(path, before.get(path), after[path])


def _as_blocks(path: str, before: str | None, after: str) -> str:
    if before is None:
        return f"<<<<<<< FILE {path}\n{after.rstrip(chr(10))}\n>>>>>>> END"
    return "\n".join((path, *map(_block, _replacements(path, before, after))))


def _as_definitions(path: str, before: str | None, after: str) -> str:
    """New and changed definitions of a module, and names that were deleted; other files complete."""
    if before is None or not path.endswith(".py"):
        return f"{path}\n{fenced(path, after)}"
    gone = sorted(names_in(before) - names_in(after))
    changed = f"{path}\n{fenced(path, changed_statements(before, after))}"
    return f"{changed}\nDeleted: {', '.join(gone)}." if gone else changed


def _block(edit: Replacement) -> str:
    return "\n".join(("<<<<<<< SEARCH", *edit.search, "=======", *edit.replace, ">>>>>>> REPLACE"))


def _replacements(path: str, before: str, after: str) -> list[Replacement]:
    """The replaced lines, with just enough context to make them unique."""
    old, new = before.splitlines(), after.splitlines()
    edits: list[Replacement] = []
    for around in range(_MOST_AROUND + 1):
        # get_grouped_opcodes modifies the matcher, so each grouping needs a new one.
        groups = SequenceMatcher(None, old, new).get_grouped_opcodes(around)
        edits = [_replacement(path, old, new, group) for group in groups]
        if all(edit.search and len(find(edit.search, old)) == 1 for edit in edits):
            break
    return edits


def _replacement(
    path: str, old: Sequence[str], new: Sequence[str], group: Sequence[tuple[str, int, int, int, int]]
) -> Replacement:
    _, old_start, _, new_start, _ = group[0]
    _, _, old_stop, _, new_stop = group[-1]
    return Replacement(path, tuple(old[old_start:old_stop]), tuple(new[new_start:new_stop]))
