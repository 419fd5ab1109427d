"""A sweep's plan and its standing for a person at a terminal."""

from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from fmlbench.core.evaluation import Outcome
from fmlbench.core.run import agent_names
from fmlbench.core.text import counted
from fmlbench.reports.number_text import dollars_text, duration_text
from fmlbench.reports.terminal_tables import plain_table
from fmlbench.reports.untrusted import one_line
from fmlbench.scheduling.estimates import makespan
from fmlbench.scheduling.plan import Plan
from fmlbench.scheduling.status import Group as RunGroup
from fmlbench.scheduling.status import Status
from fmlbench.scheduling.sweep_state import JobState, JobStatus, seconds_left

_MOST_FAILED = 10


@dataclass(frozen=True)
class Forecast:
    """What a study asks for, and what it will take."""

    study: str
    runs: int
    tasks: int
    agents: int
    seeds: int
    steps: int
    """Of each run."""
    complete: int
    parallel: int
    seconds: float | None
    """Until the last run is over, as far as tasks are calibrated; None where no task of what is left is."""
    seconds_of_runs: float | None
    """Of all runs that are left, one after the other; likewise."""
    uncalibrated: Sequence[str]
    """Tasks of which nobody knows how long they take on this track."""
    dollars: float | None
    """At most; None where neither the runs nor the sweep have a cap."""


def forecast_of(plan: Plan, standings: Sequence[JobStatus], parallel: int) -> Forecast:
    """Work out what is left to do."""
    left = seconds_left(standings)
    return Forecast(
        study=plan.study.name,
        runs=len(plan.runs),
        tasks=len({run.task.name for run in plan.runs}),
        agents=len(set(agent_names([run.spec.agent for run in plan.runs]))),
        seeds=len(plan.study.seeds),
        steps=plan.study.budget.steps,
        complete=sum(standing.state is JobState.COMPLETE for standing in standings),
        parallel=parallel,
        seconds=None if left is None else makespan(left, parallel),
        seconds_of_runs=None if left is None else sum(left),
        uncalibrated=plan.uncalibrated,
        dollars=plan.dollars,
    )


def plan_text(plan: Plan, standings: Sequence[JobStatus], parallel: int) -> Text:
    """The same in words."""
    told = forecast_of(plan, standings, parallel)
    sizes = (counted(told.tasks, "task"), counted(told.agents, "agent"), counted(told.seeds, "seed"))
    lines = [
        f"study {told.study}: {counted(told.runs, 'run')} = {' x '.join(sizes)}, {counted(told.steps, 'step')} each",
        f"{told.complete} are complete already" if told.complete else "",
        f"estimated: {_time_text(told)}, {_cost_text(told)}",
    ]
    return Text("\n".join(filter(None, lines)))


def _time_text(told: Forecast) -> str:
    if told.seconds is None or told.seconds_of_runs is None:
        return f"time not known (nobody has calibrated {', '.join(told.uncalibrated)} on this track)"
    text = f"{duration_text(told.seconds)} with {told.parallel} at once ({duration_text(told.seconds_of_runs)} of runs)"
    if told.uncalibrated:
        text += f", and whatever {', '.join(told.uncalibrated)} take: nobody has calibrated them on this track"
    return text


def _cost_text(told: Forecast) -> str:
    if told.dollars is None:
        return "dollars not known: neither the runs nor the sweep have a cap"
    return "no dollars" if not told.dollars else f"at most {dollars_text(told.dollars)}"


def status_page(status: Status, reached: str = "") -> RenderableType:
    """Where a sweep stands, group by group, and what went wrong."""
    parts: list[RenderableType] = [group_table(status.groups), Text(), headline(status)]
    if reached:
        parts.append(Text(f"stopped: {reached}", "bold yellow"))
    parts += [
        Text(f"{failed.run} failed: {one_line(failed.reason, 200)}", "red") for failed in status.failed[:_MOST_FAILED]
    ]
    if len(status.failed) > _MOST_FAILED:
        parts.append(Text(f"... and {len(status.failed) - _MOST_FAILED} more failed", "red"))
    return Group(*parts)


def group_table(groups: Sequence[RunGroup]) -> Table:
    """One line per task and agent; no hidden score of a run that is not over."""
    table = plain_table(
        "task",
        "agent",
        "runs",
        "playing",
        "failed",
        "steps",
        "without score",
        "dollars",
        "test improvement",
        "transfer",
    )
    for group in groups:
        table.add_row(
            Text(group.task, style="bold"),
            Text(group.agent),
            Text(f"{group.states[JobState.COMPLETE]} of {group.runs}"),
            Text(_count(group.states[JobState.PLAYING])),
            Text(_count(group.states[JobState.FAILED]), style="red"),
            Text(f"{group.steps} of {group.steps_due}"),
            Text(_count(sum(group.outcomes.values()) - group.outcomes.get(Outcome.OK, 0))),
            Text(f"{group.dollars:.2f}" if group.dollars else ""),
            Text("" if group.improvement is None else f"{group.improvement:+.1%}, n = {group.n}"),
            Text("" if group.transfer is None else f"{group.transfer:+.1%}"),
        )
    return table


def headline(status: Status) -> Text:
    """The whole sweep in one or two lines."""
    counts = ", ".join(f"{count} {state}" for state, count in status.states.items() if count)
    parts = [f"{counted(status.runs, 'run')}: {counts}", f"{status.steps} of {status.steps_due} steps"]
    if status.seconds_left:
        parts.append(f"about {duration_text(status.seconds_left)} left")
    if status.dollars or status.unpriced_steps:
        unpriced = f" (and {counted(status.unpriced_steps, 'step')} of unknown price)" if status.unpriced_steps else ""
        parts.append(f"${status.dollars:.2f} spent{unpriced}")
    text = Text("; ".join(parts))
    if status.failures:
        failures = ", ".join(f"{count} {what}" for what, count in status.failures.items())
        text.append(f"\nattempts that machines failed: {failures}", "yellow")
    return text


def _count(number: int) -> str:
    return str(number) if number else ""
