"""Name what is to be changed, for models that left to themselves would always change the same."""

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from fmlbench.agents.proposers.llm.definitions import changed_statements, names_in, names_of
from fmlbench.agents.proposers.llm.python import why_not_python


@dataclass(frozen=True)
class EditTarget:
    """A function, class or constant of a file."""

    path: str
    name: str

    def is_in(self, files: Mapping[str, str]) -> bool:
        """Whether the file still defines it."""
        return self.name in names_in(files.get(self.path, ""))


def choose_target(
    files: Mapping[str, str], suggested: Sequence[str], most_bytes: int, rng: Random
) -> EditTarget | None:
    """One of the definitions that the task suggests to look at, each as likely as the other.

    What is longer than that cannot be written anew in one answer; there may be nothing left to draw from.
    """
    paths = [path for path in suggested if path in files] or sorted(files)
    drawn = [focus for path in paths if path.endswith(".py") for focus in _in(path, files[path], most_bytes)]
    return rng.choice(drawn) if drawn else None


def changed_target(before: Mapping[str, str], after: Mapping[str, str]) -> EditTarget | None:
    """The first definition that is not as it was before."""
    for path in sorted(path for path in after if path.endswith(".py") and after[path] != before.get(path)):
        for name in sorted(names_in(changed_statements(before.get(path, ""), after[path]))):
            return EditTarget(path, name)
    return None


def _in(path: str, text: str, most_bytes: int) -> Iterator[EditTarget]:
    for node in () if why_not_python(text) else ast.parse(text).body:
        if len((ast.get_source_segment(text, node) or "").encode()) <= most_bytes:
            yield from (EditTarget(path, name) for name in sorted(names_of(node)))
