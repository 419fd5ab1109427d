"""Check whether the measures in an export can be reproduced from its logs and code.

Floating-point results differ slightly between processors, so figures are compared with a tolerance.
"""

import math
from collections.abc import Iterator, Mapping

from fmlbench.engine.verification import Result, ScoreCheck
from fmlbench.metrics.catalogue import all_measures
from fmlbench.metrics.measured_run import MeasuredRun

_TOLERANCE = 1e-5


def check_measures(logged: Mapping[str, object], embedder: str | None, again: MeasuredRun) -> Iterator[ScoreCheck]:
    """Check every measure of an export; ``embedder`` computed its exploration figures."""
    needs_embedding = {measure.name: measure.needs_embedding for measure in all_measures()}
    for name, value in logged.items():
        old = float(value) if isinstance(value, int | float) else None
        if name not in needs_embedding or (needs_embedding[name] and again.embedder != embedder):
            yield ScoreCheck(f"measure {name}", Result.NOT_CHECKED, old, None)
        else:
            new = again.get(name)
            yield ScoreCheck(f"measure {name}", Result.REPRODUCED if _agree(old, new) else Result.DIFFERENT, old, new)


def _agree(old: float | None, new: float | None) -> bool:
    if old is None or new is None:
        return old is new
    return math.isclose(old, new, rel_tol=_TOLERANCE, abs_tol=_TOLERANCE)
