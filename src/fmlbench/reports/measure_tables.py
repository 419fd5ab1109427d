"""Tables of measured runs: of every run, and means over seeds per task and agent as in the paper."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fmlbench.core.run import agent_names
from fmlbench.core.text import score_text
from fmlbench.metrics.catalogue import all_measures, find_measure
from fmlbench.metrics.measure import Missing, Value
from fmlbench.metrics.measured_run import MeasuredRun, require_comparable
from fmlbench.metrics.statistics.intervals import Estimate, estimate
from fmlbench.reports.number_text import brief_estimate_text, seal_text
from fmlbench.reports.table import DataTable

_RUN_FACTS = ("run", "task", "track", "agent", "seed", "seal", "embedder")
SHOWN = (
    "test_score",
    "improvement",
    "transfer",
    "best_test_score",
    "diversity",
    "step_success_rate",
    "step_completion_rate",
    "tokens",
    "dollars",
    "wall_hours",
)
"""Performance, diversity, success, completion and cost."""


@dataclass(frozen=True)
class AgentTaskScores:
    """One agent on one task."""

    task: str
    agent: str
    runs: int
    over: int
    """Number of finished runs; the means use only these."""
    means: Mapping[str, Estimate | None]
    """By measure, over the runs with a value; None if no run has one."""


def measure_table(runs: Sequence[MeasuredRun]) -> DataTable:
    """Every measure of some runs side by side; notes give the reasons for missing values."""
    missing: dict[str, None] = {}
    rows = [["seal", "", *(seal_text(run.spec.isolation) for run in runs)]]
    for measure in all_measures():
        values = [run.values[measure.name] for run in runs]
        for run, value in zip(runs, values, strict=True):
            if isinstance(value, Missing):
                missing[f"{measure.name} of {run.spec.run_id}: {value.why}."] = None
        rows.append([measure.name, measure.unit, *map(value_text, values)])
    embedders = sorted({run.embedder for run in runs if run.embedder})
    notes = [f"Exploration by embedder {name}; not comparable with other embedders." for name in embedders]
    return DataTable(("measure", "unit", *(run.spec.run_id for run in runs)), rows, [*notes, *missing])


def run_data(runs: Sequence[MeasuredRun]) -> DataTable:
    """One row per run, at full precision; a missing value is an empty cell."""
    agents = agent_names([run.spec.agent for run in runs])
    rows = [
        [*_run_facts(run, agent), *(_exact_value(run.values[measure.name]) for measure in all_measures())]
        for run, agent in zip(runs, agents, strict=True)
    ]
    return DataTable((*_RUN_FACTS, *(measure.name for measure in all_measures())), rows)


def value_text(value: Value) -> str:
    """A rounded value, or a dash if missing."""
    return "-" if isinstance(value, Missing) else score_text(value)


def _exact_value(value: Value) -> str:
    return "" if isinstance(value, Missing) else repr(float(value))


def _run_facts(run: MeasuredRun, agent: str) -> list[str]:
    spec = run.spec
    seal = seal_text(spec.isolation)
    return [spec.run_id, run.task, spec.track_text, agent, str(spec.seed), seal, run.embedder or ""]


def agent_task_scores(agents: Mapping[str, Sequence[MeasuredRun]]) -> list[AgentTaskScores]:
    """The means of every agent on every task; an error if the runs are not comparable."""
    all_runs = [run for runs in agents.values() for run in runs]
    for name in SHOWN:
        require_comparable(all_runs, name)
    return [
        _scores(task, agent, of_task)
        for task in dict.fromkeys(run.task for run in all_runs)
        for agent, runs in agents.items()
        if (of_task := [run for run in runs if run.task == task])
    ]


def agent_task_table(rounds: Sequence[AgentTaskScores], runs: Sequence[MeasuredRun]) -> DataTable:
    """One row per task and agent, with rounded values."""
    columns = ("task", "agent", "runs", *(_heading(name) for name in SHOWN))
    rows = [[one.task, one.agent, _run_count(one), *(_mean_text(one.means[name]) for name in SHOWN)] for one in rounds]
    embedders = sorted({run.embedder for run in runs if run.embedder})
    seals = sorted({seal_text(run.spec.isolation) for run in runs})
    notes = [
        f"Means over seeds with 95% t intervals; {', '.join(seals)}.",
        "A single value has no interval. Missing values are left out of the means.",
        *(f"Diversity by embedder {name}; not comparable with other embedders." for name in embedders),
    ]
    return DataTable(columns, rows, notes)


def agent_task_data(rounds: Sequence[AgentTaskScores]) -> DataTable:
    """One row per task, agent and measure, at full precision."""
    columns = ("task", "agent", "measure", "unit", "runs", "n", "mean", "low", "high")
    rows = [
        [one.task, one.agent, name, find_measure(name).unit, str(one.runs), *_exact_mean(one.means[name])]
        for one in rounds
        for name in SHOWN
    ]
    return DataTable(columns, rows)


def _scores(task: str, agent: str, runs: Sequence[MeasuredRun]) -> AgentTaskScores:
    over = [run for run in runs if run.is_over]
    values = {name: [value for run in over if (value := run.get(name)) is not None] for name in SHOWN}
    means = {name: estimate(found) for name, found in values.items()}
    return AgentTaskScores(task=task, agent=agent, runs=len(runs), over=len(over), means=means)


def _heading(name: str) -> str:
    return f"{name.replace('_', ' ')} ({find_measure(name).unit})"


def _run_count(one: AgentTaskScores) -> str:
    return str(one.runs) if one.over == one.runs else f"{one.over} of {one.runs}"


def _mean_text(found: Estimate | None) -> str:
    return "-" if found is None else brief_estimate_text(found)


def _exact_mean(found: Estimate | None) -> list[str]:
    if found is None:
        return ["0", "", "", ""]
    return [str(found.n), *("" if figure is None else repr(figure) for figure in (found.mean, found.low, found.high))]
