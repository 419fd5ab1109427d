"""Choose the definition to change, for models that would otherwise always change the same one."""

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
    """A random definition from the files that the task suggests, uniformly; None if there is none.

    Definitions longer than ``most_bytes`` are left out: they cannot be rewritten in one answer.
    """
    paths = [path for path in suggested if path in files] or sorted(files)
    targets = [target for path in paths if path.endswith(".py") for target in _in(path, files[path], most_bytes)]
    return rng.choice(targets) if targets else None


def changed_target(before: Mapping[str, str], after: Mapping[str, str]) -> EditTarget | None:
    """The first definition that differs between two versions of the files."""
    for path in sorted(path for path in after if path.endswith(".py") and after[path] != before.get(path)):
        for name in sorted(names_in(changed_statements(before.get(path, ""), after[path]))):
            return EditTarget(path, name)
    return None


def _in(path: str, text: str, most_bytes: int) -> Iterator[EditTarget]:
    for node in () if why_not_python(text) else ast.parse(text).body:
        if len((ast.get_source_segment(text, node) or "").encode()) <= most_bytes:
            yield from (EditTarget(path, name) for name in sorted(names_of(node)))
