"""What only a sealed test of every step can tell: how well validation chose, and whether the agent overfitted to it."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from fmlbench.metrics.measure import Missing, Value
from fmlbench.metrics.scale import normalised_improvement, scaled_gain
from fmlbench.metrics.trace import Trace, Vectors

_SIMULATIONS = 4000
_SEED = 20261116


@dataclass(frozen=True)
class HiddenPoint:
    """A step on both exams, as scaled gains over the baseline; None where it has no score."""

    index: int
    validation: float | None
    test: float | None
    chosen_test: float | None
    """The hidden test of the step that was the validation winner at this point."""


def hidden_curve(trace: Trace) -> Sequence[HiddenPoint]:
    """Validation and hidden test step by step; empty before the run is over, or without the baseline's scores."""
    first = trace.test_score(0)
    if not trace.is_over or trace.baseline is None or first is None:
        return ()
    points: list[HiddenPoint] = []
    best, chosen = None, None
    for step in trace.steps:
        test = _gain(trace, trace.test_score(step.index), first)
        if trace.metric.is_better(step.score, best):
            best, chosen = step.score, test
        points.append(HiddenPoint(step.index, _gain(trace, step.score, trace.baseline), test, chosen))
    return points


def val_test_gap(trace: Trace) -> Value:
    """How far apart the winner's normalised improvements on validation and on the hidden test are."""
    first, winner = trace.test_score(0), trace.winner
    if not trace.is_over:
        return Missing("the run is not over")
    if trace.baseline is None or first is None or winner is None or winner.score is None:
        return Missing("the baseline lacks a score")
    test = trace.test_score(winner.index)
    on_validation = normalised_improvement(trace.metric, winner.score, trace.baseline)
    return abs(on_validation - normalised_improvement(trace.metric, first if test is None else test, first))


def selection_regret(trace: Trace) -> Value:
    """What was lost by choosing on validation: the best hidden test among the steps, less the winner's."""
    points = _tested(trace)
    if isinstance(points, Missing):
        return points
    winner = trace.winner
    chosen = [test for index, _, test in points if winner and index == winner.index]
    if not chosen:
        return Missing("the winner has no hidden test score")
    return max(test for _, _, test in points) - chosen[0]


def optimism(trace: Trace) -> Value:
    """How much better the winner looked on validation than it is on the hidden test, both against the baseline."""
    points = _tested(trace)
    if isinstance(points, Missing):
        return points
    winner = trace.winner
    seen = [validation - test for index, validation, test in points if winner and index == winner.index]
    return seen[0] if seen else Missing("the winner has no hidden test score")


def optimism_by_noise(trace: Trace) -> Value:
    """The optimism that choosing the best of these steps brings by noise alone."""
    simulated = _simulated_optimism(trace)
    return simulated if isinstance(simulated, Missing) else float(simulated.mean())


def overfitting(trace: Trace) -> Value:
    """The optimism beyond what noise explains."""
    seen, expected = optimism(trace), optimism_by_noise(trace)
    if isinstance(seen, Missing):
        return seen
    return expected if isinstance(expected, Missing) else seen - expected


def overfitting_p(trace: Trace) -> Value:
    """How often noise alone would bring as much optimism."""
    seen, simulated = optimism(trace), _simulated_optimism(trace)
    if isinstance(seen, Missing):
        return seen
    if isinstance(simulated, Missing):
        return simulated
    return (1 + int((simulated >= seen).sum())) / (1 + len(simulated))


def _simulated_optimism(trace: Trace) -> Vectors | Missing:
    points = _tested(trace)
    if isinstance(points, Missing):
        return points
    noise = _noise(trace)
    if not noise:
        return Missing("the task's noise is not on record")
    return _simulate(tuple(test for _, _, test in points), noise)


@lru_cache(maxsize=16)
def _simulate(truth: tuple[float, ...], noise: float) -> Vectors:
    """Take the hidden test as the truth, add the noise on record to get validations, choose the best of them."""
    errors = np.random.default_rng(_SEED).normal(0.0, noise, size=(_SIMULATIONS, len(truth)))
    # The baseline is the origin of both gains, so its own error is in all the others.
    errors -= errors[:, :1]
    chosen = (np.array(truth) + errors).argmax(axis=1)
    return errors[np.arange(_SIMULATIONS), chosen]


def _noise(trace: Trace) -> float:
    """The standard deviation of a step's validation less its test, on the scale of the gains; zero if not known."""
    if trace.calibration is None:
        return 0.0
    baseline = trace.calibration.baseline
    return float(np.hypot(baseline.validation.sd, baseline.test.sd)) / abs(trace.metric.best - trace.metric.worst)


def _tested(trace: Trace) -> list[tuple[int, float, float]] | Missing:
    """Index, validation gain and test gain of all steps that have both; the baseline first."""
    if not trace.is_over:
        return Missing("the run is not over")
    points = [
        (point.index, point.validation, point.test)
        for point in hidden_curve(trace)
        if point.validation is not None and point.test is not None
    ]
    return points or Missing("the baseline lacks a score")


def _gain(trace: Trace, score: float | None, baseline: float) -> float | None:
    return None if score is None else scaled_gain(trace.metric, score, baseline)
