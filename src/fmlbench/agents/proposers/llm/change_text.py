"""Tell a change in the form in which models answer: small ones copy whatever form they have seen."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher

from fmlbench.agents.proposers.llm.definitions import changed_statements, names_in
from fmlbench.agents.proposers.llm.edits import Replacement
from fmlbench.agents.proposers.llm.fences import fenced
from fmlbench.agents.proposers.llm.search import find

_MOST_AROUND = 3


def retell(before: Mapping[str, str], after: Mapping[str, str], form: str = "blocks") -> str:
    """The edits that lead from some files to others."""
    return "\n\n".join(_edits(before, after, _as_definitions if form == "definitions" else _as_blocks))


def _edits(
    before: Mapping[str, str], after: Mapping[str, str], tell: Callable[[str, str | None, str], str]
) -> Iterator[str]:
    for path in sorted(before.keys() | after.keys()):
        if path not in after:
            yield f"{path} was deleted."
        elif before.get(path) != after[path]:
            yield tell(path, before.get(path), after[path])


def _as_blocks(path: str, before: str | None, after: str) -> str:
    if before is None:
        return f"<<<<<<< FILE {path}\n{after.rstrip(chr(10))}\n>>>>>>> END"
    return "\n".join((path, *map(_block, _replacements(path, before, after))))


def _as_definitions(path: str, before: str | None, after: str) -> str:
    """What is new or has changed of a module, and which of its names are gone; other files whole."""
    if before is None or not path.endswith(".py"):
        return f"{path}\n{fenced(path, after)}"
    gone = sorted(names_in(before) - names_in(after))
    told = f"{path}\n{fenced(path, changed_statements(before, after))}"
    return f"{told}\n{', '.join(gone)} was deleted." if gone else told


def _block(edit: Replacement) -> str:
    return "\n".join(("<<<<<<< SEARCH", *edit.search, "=======", *edit.replace, ">>>>>>> REPLACE"))


def _replacements(path: str, before: str, after: str) -> list[Replacement]:
    """What was replaced, with as few lines around it as make it occur only once."""
    old, new = before.splitlines(), after.splitlines()
    edits: list[Replacement] = []
    for around in range(_MOST_AROUND + 1):
        # A matcher is good for one grouping: it cuts down what it keeps.
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
