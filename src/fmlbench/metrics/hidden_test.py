"""Measures from the sealed test of every step: how well validation selects, and overfitting to validation."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from fmlbench.metrics.measure import SUCCESSOR, Better, Measure, MeasureFamily, Missing, Value
from fmlbench.metrics.trace import Trace, Vectors, clamped_gain, scaled_gain

_SIMULATIONS = 4000
_SEED = 20261116


@dataclass(frozen=True)
class HiddenPoint:
    """A step's scaled gains over the baseline on both exams; None without a score."""

    index: int
    validation: float | None
    test: float | None
    chosen_test: float | None
    """The hidden test gain of the validation winner so far."""


def hidden_curve(trace: Trace) -> Sequence[HiddenPoint]:
    """Validation and hidden test gains by step; empty if the run is unfinished or the baseline has no score."""
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
    """The absolute difference between the winner's normalised improvements on validation and hidden test."""
    first, winner = trace.test_score(0), trace.winner
    if not trace.is_over:
        return Missing("the run is not finished")
    if trace.baseline is None or first is None or winner is None or winner.score is None:
        return Missing("the baseline has no score")
    test = trace.test_score(winner.index)
    on_validation = clamped_gain(trace.metric, winner.score, trace.baseline)
    return abs(on_validation - clamped_gain(trace.metric, first if test is None else test, first))


def selection_regret(trace: Trace) -> Value:
    """The loss from selecting on validation: the best hidden test gain among the steps minus the winner's."""
    points = _tested(trace)
    if isinstance(points, Missing):
        return points
    winner = trace.winner
    chosen = [test for index, _, test in points if winner and index == winner.index]
    if not chosen:
        return Missing("the winner has no hidden test score")
    return max(test for _, _, test in points) - chosen[0]


def optimism(trace: Trace) -> Value:
    """The winner's gain over the baseline on validation minus its gain on the hidden test."""
    points = _tested(trace)
    if isinstance(points, Missing):
        return points
    winner = trace.winner
    seen = [validation - test for index, validation, test in points if winner and index == winner.index]
    return seen[0] if seen else Missing("the winner has no hidden test score")


def optimism_by_noise(trace: Trace) -> Value:
    """The expected optimism from choosing the best of these steps under noise alone."""
    simulated = _simulated_optimism(trace)
    return simulated if isinstance(simulated, Missing) else float(simulated.mean())


def overfitting(trace: Trace) -> Value:
    """The optimism minus the optimism by noise."""
    seen, expected = optimism(trace), optimism_by_noise(trace)
    if isinstance(seen, Missing):
        return seen
    return expected if isinstance(expected, Missing) else seen - expected


def overfitting_p(trace: Trace) -> Value:
    """The probability that noise alone causes at least this optimism."""
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
        return Missing("the task's noise is not calibrated")
    return _simulate(tuple(test for _, _, test in points), noise)


@lru_cache(maxsize=16)
def _simulate(truth: tuple[float, ...], noise: float) -> Vectors:
    """Simulate selection: validation scores are the hidden test scores plus calibrated noise."""
    errors = np.random.default_rng(_SEED).normal(0.0, noise, size=(_SIMULATIONS, len(truth)))
    # All gains are relative to the baseline, so they share its error.
    errors -= errors[:, :1]
    chosen = (np.array(truth) + errors).argmax(axis=1)
    return errors[np.arange(_SIMULATIONS), chosen]


def _noise(trace: Trace) -> float:
    """The standard deviation of validation minus test score of a step, on the scale of gains; zero if unknown."""
    if trace.calibration is None:
        return 0.0
    baseline = trace.calibration.baseline
    return float(np.hypot(baseline.validation.sd, baseline.test.sd)) / abs(trace.metric.best - trace.metric.worst)


def _tested(trace: Trace) -> list[tuple[int, float, float]] | Missing:
    """Index, validation gain and test gain of all steps with both; the baseline first."""
    if not trace.is_over:
        return Missing("the run is not finished")
    points = [
        (point.index, point.validation, point.test)
        for point in hidden_curve(trace)
        if point.validation is not None and point.test is not None
    ]
    return points or Missing("the baseline has no score")


def _gain(trace: Trace, score: float | None, baseline: float) -> float | None:
    return None if score is None else scaled_gain(trace.metric, score, baseline)


MEASURES = (
    Measure(
        "val_test_gap",
        MeasureFamily.HIDDEN_TEST,
        "share",
        Better.LOWER,
        "The absolute difference between the winner's normalised improvements on validation and on the hidden test.",
        val_test_gap,
        SUCCESSOR,
    ),
    Measure(
        "selection_regret",
        MeasureFamily.HIDDEN_TEST,
        "share",
        Better.LOWER,
        "The best hidden test gain among the steps minus that of the validation winner.",
        selection_regret,
    ),
    Measure(
        "optimism",
        MeasureFamily.HIDDEN_TEST,
        "share",
        Better.LOWER,
        "The winner's gain over the baseline on validation minus its gain on the hidden test.",
        optimism,
    ),
    Measure(
        "optimism_by_noise",
        MeasureFamily.HIDDEN_TEST,
        "share",
        Better.NEITHER,
        "The expected optimism from choosing the best of these steps under the task's noise alone, by simulation.",
        optimism_by_noise,
    ),
    Measure(
        "overfitting",
        MeasureFamily.HIDDEN_TEST,
        "share",
        Better.LOWER,
        "The optimism minus the optimism by noise.",
        overfitting,
    ),
    Measure(
        "overfitting_p",
        MeasureFamily.HIDDEN_TEST,
        "probability",
        Better.NEITHER,
        "The probability that noise alone causes at least the observed optimism.",
        overfitting_p,
    ),
)
