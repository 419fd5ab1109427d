"""Show a sweep: its plan, its status, and a live view while it runs."""

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from rich.console import Console, Group, RenderableType
from rich.live import Live
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
    """The size of a study, and its estimated time and cost."""

    study: str
    runs: int
    tasks: int
    agents: int
    seeds: int
    steps: int
    """Per run."""
    complete: int
    parallel: int
    seconds: float | None
    """Estimated time until the last run ends, over calibrated tasks; None if no remaining task is calibrated."""
    seconds_of_runs: float | None
    """The same, summed over all remaining runs."""
    uncalibrated: Sequence[str]
    """Tasks without a calibration on this track."""
    dollars: float | None
    """Upper bound; None if neither the runs nor the sweep have a cap."""


def forecast_of(plan: Plan, jobs: Sequence[JobStatus], parallel: int) -> Forecast:
    """Estimate the remaining work."""
    left = seconds_left(jobs)
    return Forecast(
        study=plan.study.name,
        runs=len(plan.runs),
        tasks=len({run.task.name for run in plan.runs}),
        agents=len(set(agent_names([run.spec.agent for run in plan.runs]))),
        seeds=len(plan.study.seeds),
        steps=plan.study.budget.steps,
        complete=sum(job.state is JobState.COMPLETE for job in jobs),
        parallel=parallel,
        seconds=None if left is None else makespan(left, parallel),
        seconds_of_runs=None if left is None else sum(left),
        uncalibrated=plan.uncalibrated,
        dollars=plan.dollars,
    )


def plan_text(plan: Plan, jobs: Sequence[JobStatus], parallel: int) -> Text:
    """The forecast as text."""
    forecast = forecast_of(plan, jobs, parallel)
    sizes = (counted(forecast.tasks, "task"), counted(forecast.agents, "agent"), counted(forecast.seeds, "seed"))
    steps = counted(forecast.steps, "step")
    lines = [
        f"study {forecast.study}: {counted(forecast.runs, 'run')} = {' x '.join(sizes)}, {steps} each",
        f"already complete: {forecast.complete}" if forecast.complete else "",
        f"estimated: {_time_text(forecast)}, {_cost_text(forecast)}",
    ]
    return Text("\n".join(filter(None, lines)))


def _time_text(forecast: Forecast) -> str:
    if forecast.seconds is None or forecast.seconds_of_runs is None:
        return f"time unknown (not calibrated on this track: {', '.join(forecast.uncalibrated)})"
    total = duration_text(forecast.seconds_of_runs)
    text = f"{duration_text(forecast.seconds)} with {forecast.parallel} in parallel ({total} of runs)"
    if forecast.uncalibrated:
        text += f", plus {', '.join(forecast.uncalibrated)} (not calibrated on this track)"
    return text


def _cost_text(forecast: Forecast) -> str:
    if forecast.dollars is None:
        return "cost unknown: neither the runs nor the sweep have a cap in dollars"
    return "no dollars" if not forecast.dollars else f"at most {dollars_text(forecast.dollars)}"


def status_page(status: Status, reached: str = "") -> RenderableType:
    """The status of a sweep per task and agent, and its failures."""
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
    """One row per task and agent. Hidden scores of unfinished runs are not shown."""
    table = plain_table(
        "task",
        "agent",
        "runs",
        "running",
        "failed",
        "steps",
        "unscored",
        "dollars",
        "test improvement",
        "transfer",
    )
    for group in groups:
        table.add_row(
            Text(group.task, style="bold"),
            Text(group.agent),
            Text(f"{group.states[JobState.COMPLETE]} of {group.runs}"),
            Text(_count(group.states[JobState.RUNNING])),
            Text(_count(group.states[JobState.FAILED]), style="red"),
            Text(f"{group.steps} of {group.steps_due}"),
            Text(_count(sum(group.outcomes.values()) - group.outcomes.get(Outcome.OK, 0))),
            Text(f"{group.dollars:.2f}" if group.dollars else ""),
            Text("" if group.improvement is None else f"{group.improvement:+.1%}, n = {group.n}"),
            Text("" if group.transfer is None else f"{group.transfer:+.1%}"),
        )
    return table


def headline(status: Status) -> Text:
    """The sweep in one or two lines."""
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
        text.append(f"\ninfrastructure failures: {failures}", "yellow")
    return text


def _count(number: int) -> str:
    return str(number) if number else ""


@contextmanager
def open_view(console: Console) -> Generator[Callable[[Status], None]]:
    """A callback that shows a sweep's status. The live table is removed at the end."""
    if not console.is_terminal:
        yield PlainView(console)
        return
    with Live(console=console, transient=True, auto_refresh=False) as live:
        yield lambda status: live.update(status_page(status), refresh=True)


class PlainView:
    """Prints a line when a run ends; for logs and pipes."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._printed: tuple[object, ...] = ()

    def __call__(self, status: Status) -> None:
        """Print the status if more runs have ended or failed since the last call."""
        ended = (status.states[JobState.COMPLETE], status.states[JobState.FAILED], status.states[JobState.CANCELLED])
        if (*ended, status.failures) != self._printed:
            self._printed = (*ended, status.failures)
            self._console.print(headline(status), soft_wrap=True)
