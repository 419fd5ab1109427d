"""Signs that a winner's gain was memorised or is not a method. Each flag asks for a manual check."""

from collections.abc import Iterator
from enum import StrEnum
from statistics import fmean

from fmlbench.core.run import RetestKey, RetestKind
from fmlbench.metrics.intervals import estimate
from fmlbench.metrics.measure import Missing
from fmlbench.metrics.performance import RetestScores, improvement, retest_scores, transfer
from fmlbench.metrics.trace import Trace

_KEPT_SHARE = 0.5
"""A gain is suspicious if less than this share transfers, or more than this share remains without training data."""
_COPIED_SHARE = 0.5
_SIGMAS = 2.0


class Flag(StrEnum):
    """What is suspicious about a winner."""

    DID_NOT_TRANSFER = "did not transfer"
    """It gains on the hidden test but not on the task's sibling."""
    NEEDS_NO_DATA = "keeps its gain without training data"
    """With 2% of the training data it keeps most of its gain, so the gain was not learned from the data."""
    TOO_GOOD = "too good to be true"
    """Its score exceeds that of every known legitimate method."""
    IS_THE_REFERENCE = "resembles the expert reference"
    """More than half of its added lines are in the task's public expert reference."""


def flags_of(trace: Trace) -> tuple[Flag, ...]:
    """All flags of a finished run; empty if the retests are missing."""
    found = retest_scores(trace)
    if isinstance(found, Missing) or trace.winner is None or trace.winner.index == 0:
        return ()
    return tuple(_flags(trace, found))


def _flags(trace: Trace, found: RetestScores) -> Iterator[Flag]:
    if _gains(trace, found) and _is_lost_in_transfer(trace):
        yield Flag.DID_NOT_TRANSFER
    if _needs_no_data(trace, found):
        yield Flag.NEEDS_NO_DATA
    if found.winner and trace.metric.is_too_good(fmean(found.winner.values())):
        yield Flag.TOO_GOOD
    if (trace.reference_similarity or 0.0) > _COPIED_SHARE:
        yield Flag.IS_THE_REFERENCE


def _gains(trace: Trace, found: RetestScores) -> bool:
    """Whether the confidence interval of the gain lies above zero."""
    seeds = sorted(found.winner.keys() & found.baseline.keys())
    gain = estimate([trace.metric.gain(found.winner[seed], found.baseline[seed]) for seed in seeds])
    return gain is not None and gain.low is not None and gain.low > 0


def _is_lost_in_transfer(trace: Trace) -> bool:
    """Whether the gain on the sibling is neither significant nor large."""
    found, here, there = retest_scores(trace, RetestKind.TRANSFER), improvement(trace), transfer(trace)
    if isinstance(found, Missing) or isinstance(here, Missing) or isinstance(there, Missing):
        return False
    return not _gains(trace, found) and there < _KEPT_SHARE * here


def _needs_no_data(trace: Trace, found: RetestScores) -> bool:
    assert trace.winner is not None  # noqa: S101 - called only if there is a winner
    starved = trace.retests.get(RetestKey(RetestKind.STARVED, trace.winner.index, 0))
    if starved is None or starved.score is None or not {0} <= found.winner.keys() & found.baseline.keys():
        return False
    kept = trace.metric.gain(starved.score, found.baseline[0])
    sigma = trace.calibration.baseline.test.sd if trace.calibration else 0.0
    return kept > max(_SIGMAS * sigma, _KEPT_SHARE * trace.metric.gain(found.winner[0], found.baseline[0]))
