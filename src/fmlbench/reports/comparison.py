"""Format comparisons of agents as text and tables."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from fmlbench.metrics.associations import Association
from fmlbench.metrics.catalogue import find_measure
from fmlbench.metrics.comparison import MEASURE, Comparison, ComparisonVerdict, LeftOut, TaskDifference
from fmlbench.metrics.leaderboard import Entry, Leaderboard
from fmlbench.metrics.statistics.correlation import Correlation
from fmlbench.metrics.statistics.intervals import Interval
from fmlbench.metrics.statistics.power import Advice
from fmlbench.metrics.statistics.significance import ALPHA, fewest_pairs
from fmlbench.reports.table import DataTable

_NAMED = 3
"""Number of runs named per reason for leaving runs out."""


def leaderboard_table(board: Leaderboard) -> DataTable:
    """One row per agent. Agents in the same tie group do not differ significantly."""
    unit = find_measure(board.measure).unit
    columns = ("agent", "rank", "tie groups", f"{board.measure} ({unit})", "95%, these tasks", "95%, tasks like these",
               "transfer", "IQM [95%]", "median", "sd", "optimality gap", "tasks", "runs", "win rate",
               "runs above baseline [95%]")  # fmt: skip
    notes = [_UNEQUAL] if len({entry.tasks for entry in board.entries}) > 1 else []
    return DataTable(columns, [_entry_row(entry) for entry in board.entries], notes)


_UNEQUAL = (
    "Not all agents have runs on the same tasks, so their means are not comparable. Verdicts and tie groups use only "
    "the tasks and seeds that two agents share."
)


def task_difference_table(comparison: Comparison) -> DataTable:
    """The difference per task."""
    columns = ("task", "pairs", f"{comparison.first} - {comparison.second}", "95%", "p", "p corrected", "verdict")
    return DataTable(columns, [_task_row(one) for one in comparison.tasks])


def association_table(associations: Sequence[Association]) -> DataTable:
    """Correlations of measures with the improvement."""
    columns = ("task", "measure", "n", "Spearman", "95%", "p", "p corrected", "Pearson", "95% ", "p ")
    rows = [_association_row(one) for one in associations]
    notes = ["Correlation with the improvement. p corrected by Benjamini and Hochberg over the measures of a task."]
    return DataTable(columns, rows, notes)


def verdict_lines(comparison: Comparison) -> Iterator[str]:
    """The verdict, the difference, its uncertainty, and the sample size that would decide."""
    tested = comparison.tested
    yield f"{comparison.first} vs {comparison.second}: {verdict_text(comparison)}"
    yield (
        f"  difference in {comparison.measure}: {tested.difference:+.4f} {_range(tested.low, tested.high)}; "
        f"{_p(comparison)}, {_count(tested.pairs, 'pair')} on {_count(len(comparison.tasks), 'task')}"
    )
    if comparison.sigmas is not None:
        yield f"  in sigma of the tasks' noise: {comparison.sigmas:+.2f}"
    these, new = _interval(comparison.these_tasks), _interval(comparison.new_tasks)
    yield f"  bootstrap, these tasks: {these}; tasks like these: {new}"
    if comparison.over_draws is not None:
        samples = f"{_interval(comparison.over_draws)}{_sample_advice(comparison)}"
        yield f"  over retest samples, which runs of one seed share: {samples}"
    elif comparison.measure == MEASURE:
        yield "  each run has one retest, so the variation between samples is unknown (see --retest)"
    yield f"  probability that a run of {comparison.first} beats one of {comparison.second}: {comparison.improves:.2f}"
    if comparison.complete_case is not None:
        yield f"  difference without failed retests, instead of counting them as 0: {comparison.complete_case:+.4f}"
    yield from (f"  {line}" for line in _advice_lines(comparison.advice, comparison))
    yield from (f"  {line}" for line in _left_out_lines(comparison.left_out))


def verdict_text(comparison: Comparison) -> str:
    """The verdict in a few words."""
    if comparison.verdict is ComparisonVerdict.UNDECIDED:
        return str(comparison.verdict)
    decisive = ", ".join(one.task for one in comparison.tasks if one.verdict is comparison.verdict)
    verdict = f"{comparison.verdict} by {abs(comparison.tested.difference):.4f}"
    return f"{verdict} (significant alone on {decisive})" if decisive else verdict


def group_lines(board: Leaderboard) -> Iterator[str]:
    """The tie groups: agents without a significant difference."""
    for number, group in enumerate(board.groups, start=1):
        yield f"tie group {number}: {', '.join(group)}"


def _advice_lines(advice: Advice | None, comparison: Comparison) -> Iterator[str]:
    tested, fewest = comparison.tested, fewest_pairs(comparison.questions)
    if tested.pairs < fewest:
        among = f" in {comparison.questions} comparisons of agents" if comparison.questions > 1 else ""
        yield f"fewer than {fewest} pairs cannot be significant{among}"
    if advice is None:
        yield "the number of seeds needed is unknown: no task has two runs with different values"
        return
    if advice.detectable is not None:
        yield f"these pairs detect a difference of {advice.detectable:.4f} with 80% power"
    sigma = f"one sigma of the runs' scatter ({advice.scatter:.4f})"
    yield f"to detect {sigma} with 80% power: {_seeds(advice.for_one_sigma, advice.seeds)}"
    if tested.difference:
        observed = f"the observed difference ({abs(tested.difference):.4f})"
        yield f"to detect {observed}: {_seeds(advice.for_seen, advice.seeds)}"
    if advice.wants_retests:
        yield "fewer seeds would suffice with more retests per run (--retest)"


def _left_out_lines(left_out: Sequence[LeftOut]) -> Iterator[str]:
    """A line per reason, with the first few runs."""
    reasons: defaultdict[str, list[str]] = defaultdict(list[str])
    for one in left_out:
        reasons[one.why].append(one.run)
    for why, runs in reasons.items():
        more = f" and {len(runs) - _NAMED} more" if len(runs) > _NAMED else ""
        yield f"left out, {why}: {', '.join(runs[:_NAMED])}{more}"


def _seeds(needed: int | None, have: int) -> str:
    if needed is None:
        return "more than 1000 seeds per task"
    more = f"{needed - have} more than now" if needed > have else "already reached"
    return f"{_count(needed, 'seed')} per task, {more}"


def _entry_row(entry: Entry) -> list[str]:
    first, last = entry.ranks
    return [
        entry.agent,
        f"{first}" if first == last else f"{first}-{last}",
        ", ".join(map(str, entry.groups)),
        f"{entry.mean:.4f}",
        _interval(entry.these_tasks),
        _interval(entry.new_tasks),
        _figure(entry.transfer),
        f"{entry.summary.iqm:.4f}{f' {_interval(entry.iqm)}' if entry.iqm else ''}",
        f"{entry.summary.median:.4f}",
        _figure(entry.summary.sd),
        _figure(entry.optimality_gap),
        str(len(entry.tasks)),
        str(entry.summary.n),
        "-" if entry.win_rate is None else f"{entry.win_rate:.2f}",
        _rate(*entry.above_baseline),
    ]


def _rate(count: int, n: int, interval: Interval | None) -> str:
    return f"{count} of {n}" + (f" [{interval.low:.0%}, {interval.high:.0%}]" if interval else "")


def _figure(value: float | None) -> str:
    return "-" if value is None else f"{value:.4f}"


def _task_row(one: TaskDifference) -> list[str]:
    tested = one.tested
    figures = [
        f"{tested.difference:+.4f}",
        _range(tested.low, tested.high),
        *(_p_text(p).removeprefix("= ") for p in (tested.p, one.p_adjusted)),
    ]
    return [one.task, str(tested.pairs), *figures, str(one.verdict)]


def _association_row(one: Association) -> list[str]:
    spearman, pearson = one.spearman, one.pearson
    return [
        one.task,
        one.measure,
        str(spearman.n),
        *_correlation(spearman),
        f"{one.spearman_p_adjusted:.3g}",
        *_correlation(pearson),
    ]


def _correlation(found: Correlation) -> list[str]:
    return [f"{found.r:+.3f}", _interval(found.interval), f"{found.p:.3g}"]


def _sample_advice(comparison: Comparison) -> str:
    """Advice if only the variation between retest samples prevents a verdict."""
    is_blocked = comparison.p_adjusted < ALPHA and comparison.verdict is ComparisonVerdict.UNDECIDED
    return "; other samples could reverse it, so use more (--retest)" if is_blocked else ""


def _p(comparison: Comparison) -> str:
    p, adjusted = comparison.tested.p, comparison.p_adjusted
    return (
        f"p {_p_text(p)}"
        if p == adjusted
        else f"p {_p_text(p)}, corrected for the number of agents p {_p_text(adjusted)}"
    )


def _p_text(p: float) -> str:
    """A small p is shown as a bound, never as zero."""
    return "< 0.001" if p < 0.001 else f"= {p:.3f}"


def _range(low: float | None, high: float | None) -> str:
    return "[no interval: too few pairs]" if low is None or high is None else f"[{low:+.4f}, {high:+.4f}]"


def _interval(interval: Interval | None) -> str:
    return "-" if interval is None else f"[{interval.low:+.4f}, {interval.high:+.4f}]"


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
