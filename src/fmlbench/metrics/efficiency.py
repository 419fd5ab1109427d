"""How fast the search improved on validation."""

from collections.abc import Sequence
from statistics import fmean

from fmlbench.metrics.measure import SUCCESSOR, Better, Measure, MeasureFamily, Missing, Value
from fmlbench.metrics.trace import Trace, best_so_far

_ANY_GAIN = 1e-15
_ENOUGH_GAIN = 1e-12


def auc(trace: Trace) -> Value:
    """The mean over the whole budget of the best gain so far; after an early stop the last value is repeated."""
    gains = _gains(trace)
    if isinstance(gains, Missing):
        return gains
    idle = max(trace.spec.budget.steps - len(gains), 0)
    return fmean([*gains, *[gains[-1]] * idle])


def auc_unpadded(trace: Trace) -> Value:
    """The mean over the steps taken, as in the reference scorer."""
    gains = _gains(trace)
    return gains if isinstance(gains, Missing) else fmean(gains)


def first_improvement_step(trace: Trace) -> Value:
    """The first step that beat the baseline."""
    gains = _gains(trace)
    if isinstance(gains, Missing):
        return gains
    better = [number for number, gain in enumerate(gains, start=1) if gain > _ANY_GAIN]
    return float(better[0]) if better else Missing("no step beat the baseline")


def late_gain_fraction(trace: Trace) -> Value:
    """The share of the final gain that came in the second half of the steps."""
    gains = _gains(trace)
    if isinstance(gains, Missing):
        return gains
    if gains[-1] <= _ENOUGH_GAIN:
        return Missing("no step beat the baseline")
    half = len(gains) // 2
    at_half = gains[half - 1] if half else 0.0
    return (gains[-1] - at_half) / gains[-1]


def best_step(trace: Trace) -> Value:
    """The first step that reached the best score."""
    winner = trace.winner
    if winner is None or winner.index == 0:
        return Missing("no step beat the baseline")
    return float(winner.index)


def _gains(trace: Trace) -> Sequence[float] | Missing:
    if trace.baseline is None:
        return Missing("the baseline has no score")
    return best_so_far(trace, trace.baseline) or Missing("no step was taken")


MEASURES = (
    Measure(
        "auc",
        MeasureFamily.EFFICIENCY,
        "share",
        Better.HIGHER,
        "The mean over the budget of the best validation gain so far; after an early stop the last value is repeated.",
        auc,
        SUCCESSOR,
    ),
    Measure(
        "auc_unpadded",
        MeasureFamily.EFFICIENCY,
        "share",
        Better.HIGHER,
        "The same over the steps taken only.",
        auc_unpadded,
        SUCCESSOR,
    ),
    Measure(
        "first_improvement_step",
        MeasureFamily.EFFICIENCY,
        "step",
        Better.LOWER,
        "The first step that beat the baseline on validation.",
        first_improvement_step,
        SUCCESSOR,
    ),
    Measure(
        "late_gain_fraction",
        MeasureFamily.EFFICIENCY,
        "share",
        Better.NEITHER,
        "The share of the final validation gain that came in the second half of the steps.",
        late_gain_fraction,
        SUCCESSOR,
    ),
    Measure(
        "best_step",
        MeasureFamily.EFFICIENCY,
        "step",
        Better.NEITHER,
        "The first step with the best validation score.",
        best_step,
        SUCCESSOR,
    ),
)
