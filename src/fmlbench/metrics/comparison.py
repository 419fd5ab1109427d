"""Compare agents by their runs: better, worse or cannot tell, by how much, on which tasks, and what would decide it.

Runs are paired by task and seed, which share their draws. What decides is the paired permutation test; where several
agents are compared, or several tasks looked at, p values are corrected for that.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations
from statistics import fmean

import numpy as np

from fmlbench.core.errors import BadRequest
from fmlbench.metrics.catalogue import find_measure
from fmlbench.metrics.comparability import require_comparable
from fmlbench.metrics.measure import Better
from fmlbench.metrics.measuring import MeasuredRun
from fmlbench.metrics.statistics.bootstrap import Interval, mean_on_tasks_like_these, mean_on_these_tasks
from fmlbench.metrics.statistics.draws import interval_over_draws
from fmlbench.metrics.statistics.groups import Groups, scatter_within
from fmlbench.metrics.statistics.multiplicity import benjamini_hochberg, holm
from fmlbench.metrics.statistics.permutation import ALPHA, Tested, paired_permutation_test
from fmlbench.metrics.statistics.power import minimum_detectable_effect, seeds_needed
from fmlbench.metrics.statistics.profiles import probability_of_improvement

MEASURE = "improvement"
_SEED = 20261116
_DOUBTFUL_PAIRS = 10


class Verdict(StrEnum):
    """What the runs say of the first agent against the second."""

    BETTER = "better"
    WORSE = "worse"
    CANNOT_TELL = "cannot tell"


@dataclass(frozen=True)
class TaskDifference:
    """The first agent against the second on one task."""

    task: str
    tested: Tested
    p_adjusted: float
    """By Benjamini and Hochberg, over the tasks of this comparison."""
    verdict: Verdict


@dataclass(frozen=True)
class Advice:
    """What it would take to decide."""

    seeds: int
    """Pairs per task so far, on average over tasks rounded down."""
    scatter: float
    """The standard deviation of one agent's runs within a task: one sigma of this advice."""
    detectable: float | None
    """The difference that the pairs so far would find four times in five."""
    for_one_sigma: int | None
    """Seeds per task that find a difference of one sigma four times in five."""
    for_seen: int | None
    """The same for a difference as large as the one seen; None if that is more than a thousand."""


@dataclass(frozen=True)
class Comparison:
    """The first agent against the second."""

    first: str
    second: str
    measure: str
    verdict: Verdict
    tested: Tested
    p_adjusted: float
    """By Holm, over all pairs of agents that are compared."""
    these_tasks: Interval | None
    """Bootstrapped over seeds within tasks."""
    new_tasks: Interval | None
    """Bootstrapped over tasks and seeds."""
    over_draws: Interval | None
    """Of the mean difference over the retests' draws, which all runs of a task share; None where there are too few."""
    sigmas: float | None
    """The difference in sigma of the tasks' noise, where that is on record."""
    complete_case: float | None
    """The difference over pairs whose retests all gave a score."""
    improves: float
    """The probability that a run of the first beats a run of the second on the same task."""
    tasks: Sequence[TaskDifference]
    advice: Advice | None
    left_out: Sequence[str]
    """Runs without a value or without a counterpart, and why."""


def compare_all(agents: Mapping[str, Sequence[MeasuredRun]], measure: str = MEASURE) -> list[Comparison]:
    """Every agent against every other, in the order given; positive differences are better, whatever the measure."""
    require_comparable([run for runs in agents.values() for run in runs], measure)
    pairs = [_Pair(first, second, agents[first], agents[second], measure) for first, second in combinations(agents, 2)]
    tested = [pair.test() for pair in pairs]
    return [
        pair.conclude(result, p) for pair, result, p in zip(pairs, tested, holm([t.p for t in tested]), strict=True)
    ]


def by_task(runs: Sequence[MeasuredRun], measure: str) -> dict[str, list[float]]:
    """The values of the runs that are over, task by task."""
    groups: defaultdict[str, list[float]] = defaultdict(list)
    for run in runs:
        value = run.get(measure)
        if run.is_over and value is not None:
            groups[run.task].append(value)
    return dict(groups)


def orientation_of(measure: str) -> int:
    """+1 where higher is better, -1 where lower is; an error where agents cannot be ranked by it."""
    better = find_measure(measure).better
    if better not in _ORIENTATIONS:
        raise BadRequest(
            f"Agents cannot be ranked by '{measure}': {_WHY_NOT[better]}.",
            hint=f"Take '{MEASURE}', or another measure of docs/metrics.md that says when it is better.",
        )
    return _ORIENTATIONS[better]


_ORIENTATIONS = {Better.HIGHER: +1, Better.LOWER: -1}
_WHY_NOT = {
    Better.TASK: "scores of different tasks have different units",
    Better.NEITHER: "neither more nor less of it is better",
}


def verdict_of(tested: Tested, p_adjusted: float, over_draws: Interval | None = None) -> Verdict:
    """Different only if the corrected p is small and other draws would hardly turn the difference round."""
    is_chance = over_draws is not None and over_draws.low <= 0 <= over_draws.high
    if p_adjusted >= ALPHA or tested.difference == 0 or is_chance:
        return Verdict.CANNOT_TELL
    return Verdict.BETTER if tested.difference > 0 else Verdict.WORSE


@dataclass(frozen=True)
class _Pair:
    first: str
    second: str
    ours: Sequence[MeasuredRun]
    theirs: Sequence[MeasuredRun]
    measure: str

    def differences(self, measure: str) -> Groups:
        ours, theirs = _cells(self.ours, measure), _cells(self.theirs, measure)
        groups: defaultdict[str, list[float]] = defaultdict(list)
        for task, seed in sorted(ours.keys() & theirs.keys()):
            groups[task].append(orientation_of(measure) * (ours[task, seed] - theirs[task, seed]))
        return dict(groups)

    def test(self) -> Tested:
        differences = self.differences(self.measure)
        if not differences:
            raise BadRequest(
                f"'{self.first}' and '{self.second}' have no task and seed in common.",
                hint="Run both with the same seeds on the same tasks; fmlbench runs lists what there is.",
            )
        return paired_permutation_test(differences, np.random.default_rng(_SEED))

    def conclude(self, tested: Tested, p_adjusted: float) -> Comparison:
        differences = self.differences(self.measure)
        ours, theirs = by_task(self.ours, self.measure), by_task(self.theirs, self.measure)
        draws: Groups = self._differences_by_draw() if self.measure == MEASURE else {}
        over_draws = interval_over_draws(draws)
        return Comparison(
            first=self.first,
            second=self.second,
            measure=self.measure,
            verdict=verdict_of(tested, p_adjusted, over_draws),
            tested=tested,
            p_adjusted=p_adjusted,
            over_draws=over_draws,
            these_tasks=mean_on_these_tasks(differences, np.random.default_rng(_SEED)),
            new_tasks=mean_on_tasks_like_these(differences, np.random.default_rng(_SEED)),
            sigmas=self._mean_of("gain_in_sigmas") if self.measure == MEASURE else None,
            complete_case=self._mean_of("improvement_complete_case") if self.measure == MEASURE else None,
            improves=probability_of_improvement(*((ours, theirs)[:: orientation_of(self.measure)])),
            tasks=_task_differences(differences, draws),
            advice=_advice(differences, ours, theirs, tested.difference),
            left_out=self._left_out(),
        )

    def _differences_by_draw(self) -> Groups:
        """By task, the mean difference on each retest seed."""
        pairs: defaultdict[str, defaultdict[int, list[float]]] = defaultdict(lambda: defaultdict(list[float]))
        theirs = {(run.task, run.spec.seed): run.by_retest for run in self.theirs}
        for run in self.ours:
            other = theirs.get((run.task, run.spec.seed), {})
            for draw in run.by_retest.keys() & other.keys():
                pairs[run.task][draw].append(run.by_retest[draw] - other[draw])
        return {task: [fmean(row) for row in draws.values()] for task, draws in pairs.items()}

    def _mean_of(self, measure: str) -> float | None:
        differences = self.differences(measure)
        return fmean(fmean(row) for row in differences.values()) if differences else None

    def _left_out(self) -> list[str]:
        ours, theirs = _cells(self.ours, self.measure), _cells(self.theirs, self.measure)
        notes: list[str] = []
        for runs, others in ((self.ours, theirs), (self.theirs, ours)):
            for run in runs:
                value = run.values[self.measure]
                if not run.is_over:
                    notes.append(f"{run.spec.run_id}: the run is not over")
                elif not isinstance(value, float | int):
                    notes.append(f"{run.spec.run_id}: {value.why}")
                elif (run.task, run.spec.seed) not in others:
                    notes.append(f"{run.spec.run_id}: nobody else has a value for this task and seed")
        return notes


def _cells(runs: Sequence[MeasuredRun], measure: str) -> dict[tuple[str, int], float]:
    """The values by task and seed; several runs of one cell count as their mean."""
    cells: defaultdict[tuple[str, int], list[float]] = defaultdict(list)
    for run in runs:
        value = run.get(measure)
        if run.is_over and value is not None:
            cells[run.task, run.spec.seed].append(value)
    return {cell: fmean(values) for cell, values in cells.items()}


def _task_differences(differences: Groups, draws: Groups) -> list[TaskDifference]:
    tested = {
        task: paired_permutation_test({task: row}, np.random.default_rng(_SEED)) for task, row in differences.items()
    }
    adjusted = benjamini_hochberg([result.p for result in tested.values()])
    return [
        TaskDifference(task, result, p, verdict_of(result, p, interval_over_draws({task: draws.get(task, ())})))
        for (task, result), p in zip(tested.items(), adjusted, strict=True)
    ]


def _advice(differences: Groups, ours: Groups, theirs: Groups, seen: float) -> Advice | None:
    """None where no task has two runs that differ, so that nothing is known about the scatter."""
    paired = scatter_within(differences)
    own = [scatter for group in (ours, theirs) if (scatter := scatter_within(group)) is not None]
    if paired is None or not own:
        return None
    sigma = float(np.sqrt(np.mean(np.square(own))))
    if not sigma:
        return None
    tasks, pairs = len(differences), sum(map(len, differences.values()))
    expected = _expected_scatter(paired, sigma, pairs - tasks)
    return Advice(
        seeds=pairs // tasks,
        scatter=sigma,
        detectable=minimum_detectable_effect(paired, tasks, pairs / tasks),
        for_one_sigma=seeds_needed(sigma, expected, tasks),
        for_seen=seeds_needed(abs(seen), expected, tasks),
    )


def _expected_scatter(paired: float, sigma: float, freedom: int) -> float:
    """The scatter of differences to plan with.

    Few pairs say little about what pairing gains, so ten made-up ones that say it gains nothing join them.
    """
    return float(np.sqrt((freedom * paired**2 + _DOUBTFUL_PAIRS * 2 * sigma**2) / (freedom + _DOUBTFUL_PAIRS)))
