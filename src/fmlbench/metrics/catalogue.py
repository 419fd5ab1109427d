"""All measures; tables and docs/metrics.md are generated from them.

Every family of measures is a file with its own list. Other packages add measures with an entry point in the group
``fmlbench.measures`` whose value is a ``Measure``.
"""

from collections.abc import Sequence
from functools import cache

from fmlbench.core.errors import BadRequest
from fmlbench.core.plugins import plugins
from fmlbench.metrics import cost, efficiency, exploration, hidden_test, performance, reliability
from fmlbench.metrics.measure import Measure

ENTRY_POINTS = "fmlbench.measures"

MEASURES: tuple[Measure, ...] = (
    *performance.MEASURES,
    *reliability.MEASURES,
    *efficiency.MEASURES,
    *exploration.MEASURES,
    *hidden_test.MEASURES,
    *cost.MEASURES,
)


@cache
def all_measures() -> Sequence[Measure]:
    """The built-in measures, then those of other packages."""
    return (*MEASURES, *plugins(ENTRY_POINTS, Measure))


def find_measure(name: str) -> Measure:
    """The measure of that name."""
    for measure in all_measures():
        if measure.name == name:
            return measure
    raise BadRequest(
        f"There is no measure named '{name}'.",
        hint=f"Use one of: {', '.join(measure.name for measure in all_measures())}.",
    )
