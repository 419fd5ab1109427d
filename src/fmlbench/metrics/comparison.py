"""Compare agents by their runs: the verdict, the difference per task, and the sample size that would decide.

Runs are paired by task and seed, because paired runs share their data samples. The verdict comes from the paired
permutation test. p values are corrected for the number of agent pairs and the number of tasks.
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
from fmlbench.metrics.measure import Better, Missing
from fmlbench.metrics.measured_run import MeasuredRun, require_comparable
from fmlbench.metrics.statistics.groups import Groups, probability_of_improvement
from fmlbench.metrics.statistics.intervals import (
    Interval,
    Tables,
    interval_over_draws,
    mean_on_tasks_like_these,
    mean_on_these_tasks,
    means_by_draw,
)
from fmlbench.metrics.statistics.power import Advice, Evidence, advise
from fmlbench.metrics.statistics.significance import ALPHA, Tested, benjamini_hochberg, holm, paired_permutation_test

MEASURE = "improvement"
_SEED = 20261116


class ComparisonVerdict(StrEnum):
    """The first agent compared with the second."""

    BETTER = "better"
    WORSE = "worse"
    UNDECIDED = "undecided"


@dataclass(frozen=True)
class TaskDifference:
    """The first agent minus the second on one task."""

    task: str
    tested: Tested
    p_adjusted: float
    """By Benjamini and Hochberg, over the tasks of this comparison."""
    verdict: ComparisonVerdict


@dataclass(frozen=True)
class LeftOut:
    """A run that is excluded from the comparison."""

    run: str
    why: str


@dataclass(frozen=True)
class Comparison:
    """The first agent compared with the second."""

    first: str
    second: str
    measure: str
    verdict: ComparisonVerdict
    tested: Tested
    p_adjusted: float
    """By Holm, over all pairs of agents compared."""
    questions: int
    """Number of agent pairs compared."""
    these_tasks: Interval | None
    """Bootstrapped over seeds within tasks."""
    new_tasks: Interval | None
    """Bootstrapped over tasks and seeds."""
    over_draws: Interval | None
    """Of the mean difference over the retest samples, which runs of one seed share; None if there are too few."""
    sigmas: float | None
    """The difference in sigma of the tasks' calibrated noise, if known."""
    complete_case: float | None
    """The difference over pairs whose retests all have a score."""
    improves: float
    """The probability that a run of the first beats a run of the second on the same task."""
    tasks: Sequence[TaskDifference]
    advice: Advice | None
    left_out: Sequence[LeftOut]
    """Runs without a value or without a counterpart."""


def compare_all(agents: Mapping[str, Sequence[MeasuredRun]], measure: str = MEASURE) -> list[Comparison]:
    """Compare every pair of agents, in the order given. Positive differences are better for every measure."""
    require_comparable([run for runs in agents.values() for run in runs], measure)
    pairs = [_Pair(first, second, agents[first], agents[second], measure) for first, second in combinations(agents, 2)]
    tested = [pair.test() for pair in pairs]
    adjusted = holm([result.p for result in tested])
    return [
        pair.conclude(result, p, questions=len(pairs)) for pair, result, p in zip(pairs, tested, adjusted, strict=True)
    ]


def by_task(runs: Sequence[MeasuredRun], measure: str) -> dict[str, list[float]]:
    """The values of the finished runs, by task."""
    groups: defaultdict[str, list[float]] = defaultdict(list)
    for run in runs:
        value = run.get(measure)
        if run.is_over and value is not None:
            groups[run.task].append(value)
    return dict(groups)


def orientation_of(measure: str) -> int:
    """+1 if higher is better, -1 if lower is better; an error if agents cannot be ranked by the measure."""
    better = find_measure(measure).better
    if better not in _ORIENTATIONS:
        raise BadRequest(
            f"Agents cannot be ranked by '{measure}': {_WHY_NOT[better]}.",
            hint=f"Use '{MEASURE}' or another measure with a direction; see docs/metrics.md.",
        )
    return _ORIENTATIONS[better]


_ORIENTATIONS = {Better.HIGHER: +1, Better.LOWER: -1}
_WHY_NOT = {
    Better.TASK: "scores of different tasks have different units",
    Better.NEITHER: "neither higher nor lower values are better",
}


def verdict_of(tested: Tested, p_adjusted: float, over_draws: Interval | None = None) -> ComparisonVerdict:
    """A verdict other than 'undecided' needs a small corrected p and an interval over retest samples without zero."""
    is_chance = over_draws is not None and over_draws.low <= 0 <= over_draws.high
    if p_adjusted >= ALPHA or tested.difference == 0 or is_chance:
        return ComparisonVerdict.UNDECIDED
    return ComparisonVerdict.BETTER if tested.difference > 0 else ComparisonVerdict.WORSE


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
                hint="Run both with the same seeds on the same tasks; 'fmlbench runs' lists the runs.",
            )
        return paired_permutation_test(differences, np.random.default_rng(_SEED))

    def conclude(self, tested: Tested, p_adjusted: float, *, questions: int) -> Comparison:
        differences = self.differences(self.measure)
        ours, theirs = by_task(self.ours, self.measure), by_task(self.theirs, self.measure)
        tables: Tables = self._differences_by_draw() if self.measure == MEASURE else {}
        draws = means_by_draw(tables)
        over_draws = interval_over_draws(draws)
        return Comparison(
            first=self.first,
            second=self.second,
            measure=self.measure,
            verdict=verdict_of(tested, p_adjusted, over_draws),
            tested=tested,
            p_adjusted=p_adjusted,
            questions=questions,
            over_draws=over_draws,
            these_tasks=mean_on_these_tasks(differences, np.random.default_rng(_SEED)),
            new_tasks=mean_on_tasks_like_these(differences, np.random.default_rng(_SEED)),
            sigmas=self._mean_of("gain_in_sigmas") if self.measure == MEASURE else None,
            complete_case=self._mean_of("improvement_complete_case") if self.measure == MEASURE else None,
            improves=probability_of_improvement(*((ours, theirs)[:: orientation_of(self.measure)])),
            tasks=_task_differences(differences, draws),
            advice=advise(Evidence(differences, ours, theirs, tables, questions), tested.difference),
            left_out=self._left_out(),
        )

    def _differences_by_draw(self) -> Tables:
        """Only pairs that were retested on the same samples as the first pair of their task."""
        ours, theirs = _cells_by_draw(self.ours), _cells_by_draw(self.theirs)
        tables: defaultdict[str, list[dict[int, float]]] = defaultdict(list[dict[int, float]])
        for cell in sorted(ours.keys() & theirs.keys()):
            shared = sorted(ours[cell].keys() & theirs[cell].keys())
            row = {draw: ours[cell][draw] - theirs[cell][draw] for draw in shared}
            table = tables[cell[0]]
            if row and (not table or row.keys() == table[0].keys()):
                table.append(row)
        return {task: [list(row.values()) for row in table] for task, table in tables.items() if table}

    def _mean_of(self, measure: str) -> float | None:
        differences = self.differences(measure)
        return fmean(fmean(row) for row in differences.values()) if differences else None

    def _left_out(self) -> list[LeftOut]:
        ours, theirs = _cells(self.ours, self.measure), _cells(self.theirs, self.measure)
        sides = ((self.ours, theirs), (self.theirs, ours))
        found = [(run, self._why_left_out(run, others)) for runs, others in sides for run in runs]
        return [LeftOut(run.spec.run_id, why) for run, why in found if why]

    def _why_left_out(self, run: MeasuredRun, others: Mapping[tuple[str, int], float]) -> str:
        value = run.values[self.measure]
        if not run.is_over:
            return "the run is not finished"
        if isinstance(value, Missing):
            return value.why
        return "" if (run.task, run.spec.seed) in others else "the other agent has no value for this task and seed"


def _cells(runs: Sequence[MeasuredRun], measure: str) -> dict[tuple[str, int], float]:
    """The values by task and seed; several runs of one cell are averaged."""
    cells: defaultdict[tuple[str, int], list[float]] = defaultdict(list)
    for run in runs:
        value = run.get(measure)
        if run.is_over and value is not None:
            cells[run.task, run.spec.seed].append(value)
    return {cell: fmean(values) for cell, values in cells.items()}


def _cells_by_draw(runs: Sequence[MeasuredRun]) -> dict[tuple[str, int], dict[int, float]]:
    """The improvement on every retest sample, by task and seed; several runs of one cell are averaged."""
    cells: defaultdict[tuple[str, int], defaultdict[int, list[float]]] = defaultdict(lambda: defaultdict(list[float]))
    for run in runs:
        for draw, value in run.by_retest.items():
            cells[run.task, run.spec.seed][draw].append(value)
    return {cell: {draw: fmean(values) for draw, values in draws.items()} for cell, draws in cells.items()}


def _task_differences(differences: Groups, draws: Groups) -> list[TaskDifference]:
    tested = {
        task: paired_permutation_test({task: row}, np.random.default_rng(_SEED)) for task, row in differences.items()
    }
    adjusted = benjamini_hochberg([result.p for result in tested.values()])
    return [
        TaskDifference(task, result, p, verdict_of(result, p, interval_over_draws({task: draws.get(task, ())})))
        for (task, result), p in zip(tested.items(), adjusted, strict=True)
    ]
