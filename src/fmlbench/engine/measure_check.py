"""Say whether measures that came with an export are what its logs and its code give here.

Processors differ in the last digits of a sum, and float32 models in more than those, so figures agree if they are near.
"""

import math
from collections.abc import Iterator, Mapping

from fmlbench.engine.verification import Result, ScoreCheck
from fmlbench.metrics.catalogue import MEASURES
from fmlbench.metrics.measurement import MeasuredRun

_TOLERANCE = 1e-5


def check_measures(logged: Mapping[str, object], embedder: str | None, again: MeasuredRun) -> Iterator[ScoreCheck]:
    """Every measure of an export; ``embedder`` is what its exploration figures were computed with."""
    needs_embedding = {measure.name: measure.needs_embedding for measure in MEASURES}
    for name, value in logged.items():
        was = float(value) if isinstance(value, int | float) else None
        if name not in needs_embedding or (needs_embedding[name] and again.embedder != embedder):
            yield ScoreCheck(f"measure {name}", Result.NOT_CHECKED, was, None)
        else:
            now = again.get(name)
            yield ScoreCheck(f"measure {name}", Result.REPRODUCED if _agree(was, now) else Result.DIFFERENT, was, now)


def _agree(was: float | None, now: float | None) -> bool:
    if was is None or now is None:
        return was is now
    return math.isclose(was, now, rel_tol=_TOLERANCE, abs_tol=_TOLERANCE)
