"""Who descends from whom in a history."""

from collections.abc import Iterator

from fmlbench.core.steps import History


def line_of(history: History, index: int) -> Iterator[int]:
    """A step and its first parents, up to the baseline."""
    while index != 0:
        yield index
        index = history[index].move.parents[0]
    yield 0


def sound_ancestor(history: History, index: int) -> int:
    """The nearest step above that has a score; the baseline where none has."""
    above = (step for step in line_of(history, index) if step != index and history[step].score is not None)
    return next(above, 0)


def common_ancestor(history: History, one: int, other: int) -> int:
    """The last step that both have in common."""
    line = set(line_of(history, one))
    return next(step for step in line_of(history, other) if step in line)
