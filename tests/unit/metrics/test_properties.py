"""What must hold for every run: tried on random ones."""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from fmlbench.core.evaluation import Metric, Outcome
from fmlbench.metrics.catalogue import MEASURES
from fmlbench.metrics.measure import MeasureFamily, Missing
from fmlbench.metrics.measurement import MeasuredRun, measure_run
from fmlbench.metrics.trace import Trace
from tests.unit.metrics.traces import CRASH, UP, Result, trace

SEEDS = range(25)
UNORDERED_FAMILIES = {MeasureFamily.RELIABILITY, MeasureFamily.EXPLORATION, MeasureFamily.COST}
ORDERLESS = {
    *(measure.name for measure in MEASURES if measure.family in UNORDERED_FAMILIES),
    "improvement", "best_test_score", "test_score", "selection_regret", "optimism", "val_test_gap",
}  # fmt: skip


def random_results(rng: np.random.Generator, steps: int) -> list[Result]:
    return [CRASH if rng.random() < 0.3 else float(rng.uniform(0.2, 0.9)) for _ in range(steps)]


def random_trace(seed: int, *, order: Sequence[int] | None = None, metric: Metric = UP, scale: float = 1.0) -> Trace:
    """A random run; its steps in another order, or its scores and points on another scale."""
    rng = np.random.default_rng(seed)
    steps = int(rng.integers(1, 15))
    results = random_results(rng, steps)
    tests = [float(rng.uniform(0.2, 0.9)) if isinstance(result, float) else None for result in results]
    points = rng.normal(size=(steps + 1, 4)) * scale
    chosen = list(range(steps)) if order is None else [int(place) for place in order if place < steps]
    return trace(
        *[_times(results[place], scale if metric is not UP else 1.0) for place in chosen],
        baseline=0.5 * (scale if metric is not UP else 1.0),
        metric=metric,
        tests=[
            t if t is None else t * (scale if metric is not UP else 1.0) for t in [0.5, *(tests[p] for p in chosen)]
        ],
        points=points[[0, *(place + 1 for place in chosen)]].tolist(),
        retests=([0.7 * (scale if metric is not UP else 1.0)] * 2, [0.5 * (scale if metric is not UP else 1.0)] * 2),
        wall=1000.0,
    )


def _times(result: Result, factor: float) -> Result:
    return result if isinstance(result, Outcome) else result * factor


def same(first: MeasuredRun, second: MeasuredRun, names: set[str]) -> None:
    for name in names:
        one, other = first.values[name], second.values[name]
        if isinstance(one, Missing) or isinstance(other, Missing):
            assert one == other, name
        else:
            assert one == pytest.approx(other, abs=1e-9), name


@pytest.mark.parametrize("seed", SEEDS)
def test_the_order_of_steps_changes_only_what_is_about_order(seed: int):
    order = np.random.default_rng(seed + 1000).permutation(20).tolist()
    same(measure_run(random_trace(seed)), measure_run(random_trace(seed, order=order)), ORDERLESS)


@pytest.mark.parametrize("seed", SEEDS)
def test_another_unit_of_the_score_changes_no_share(seed: int):
    percent = Metric(name="accuracy", goal=UP.goal, best=100.0, worst=0.0)
    shares = {measure.name for measure in MEASURES if measure.unit == "share" and not measure.needs_embedding}
    same(measure_run(random_trace(seed)), measure_run(random_trace(seed, metric=percent, scale=100.0)), shares)


@pytest.mark.parametrize("seed", SEEDS)
def test_distances_grow_with_the_scale_of_the_vectors_and_shares_do_not(seed: int):
    plain, tripled = measure_run(random_trace(seed)), measure_run(random_trace(seed, scale=3.0))
    same(plain, tripled, {"uniqueness", "effective_dimension"})
    for name in ("diversity", "diversity_valid", "reach"):
        if plain.get(name) is not None:
            assert tripled.get(name) == pytest.approx(3 * (plain.get(name) or 0.0))


@pytest.mark.parametrize("seed", SEEDS)
def test_every_step_twice_explores_as_widely_and_half_as_uniquely(seed: int):
    once = random_trace(seed)
    assert once.cloud is not None
    doubled = replace(
        once,
        steps=[once.steps[0], *(step for step in once.proposed for _ in range(2))],
        cloud=replace(
            once.cloud, points=np.concatenate([once.cloud.points[:1], np.repeat(once.cloud.points[1:], 2, axis=0)])
        ),
    )
    first, second = measure_run(once), measure_run(doubled)
    assert second.get("diversity") == pytest.approx(first.get("diversity"))
    assert second.get("reach") == pytest.approx(first.get("reach"))
    assert second.get("uniqueness") == pytest.approx((first.get("uniqueness") or 0) / 2)
    same(first, second, {"step_success_rate", "valid_step_ratio"})


@pytest.mark.parametrize(
    "run",
    [
        trace(budget=5),
        trace(CRASH, CRASH, points=[(0, 0), (1, 0), (0, 1)], tests=[0.5], retests=([0.5], [0.5]), sd=0.01),
        trace(math.nan, math.inf, tests=[math.nan, 0.5, 0.5], sd=0.01),
        trace(0.6, baseline=math.nan, tests=[0.5, 0.6], sd=0.01),
        trace(0.6, metric=Metric(name="flat", goal=UP.goal, best=0.5, worst=0.5), tests=[0.5, 0.6]),
        trace(over=False),
    ],
)  # fmt: skip
def test_no_measure_breaks_on_a_strange_run_and_none_is_ever_nan(run: Trace):
    for name, value in measure_run(run).values.items():
        assert isinstance(value, Missing) or math.isfinite(value), name


def test_the_catalogue_has_each_name_once_and_says_what_it_is():
    assert len({measure.name for measure in MEASURES}) == len(MEASURES)
    assert all(measure.sentence.endswith(".") and measure.unit for measure in MEASURES)
