"""A sweep's plan and its standing for a person at a terminal."""

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from fmlbench.core.evaluation import Outcome
from fmlbench.core.run import agent_names
from fmlbench.reports.tables import plain_table
from fmlbench.reports.untrusted import one_line
from fmlbench.reports.wording import dollars_text, duration_text
from fmlbench.scheduling.estimates import makespan
from fmlbench.scheduling.planning import Plan
from fmlbench.scheduling.standing import Standing, State, seconds_left
from fmlbench.scheduling.status import Group as RunGroup
from fmlbench.scheduling.status import Status

_MOST_FAILED = 10


def plan_text(plan: Plan, standings: Sequence[Standing], parallel: int) -> Text:
    """What a study asks for, and what it will take."""
    tasks = {run.task.name for run in plan.runs}
    agents = set(agent_names([run.spec.agent for run in plan.runs]))
    done = sum(standing.state is State.COMPLETE for standing in standings)
    size = f"{len(tasks)} tasks x {len(agents)} agents x {len(plan.study.seeds)} seeds"
    lines = [
        f"study {plan.study.name}: {len(plan.runs)} runs = {size}, {plan.study.budget.steps} steps each",
        f"{done} are complete already" if done else "",
        f"estimated: {_time_text(plan, standings, parallel)}, {_cost_text(plan)}",
    ]
    return Text("\n".join(filter(None, lines)))


def _time_text(plan: Plan, standings: Sequence[Standing], parallel: int) -> str:
    left = [seconds_left(standing) for standing in standings]
    text = f"{duration_text(makespan(left, parallel))} with {parallel} at once ({duration_text(sum(left))} of runs)"
    if plan.uncalibrated:
        text += f", and whatever {', '.join(plan.uncalibrated)} take: nobody has calibrated them on this track"
    return text


def _cost_text(plan: Plan) -> str:
    if plan.dollars is None:
        return "dollars not known: neither the runs nor the sweep have a cap"
    return "no dollars" if not plan.dollars else f"at most {dollars_text(plan.dollars)}"


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
        "task", "agent", "runs", "playing", "failed", "steps", "without score", "dollars", "test improvement"
    )
    for group in groups:
        table.add_row(
            Text(group.task, style="bold"),
            Text(group.agent),
            Text(f"{group.states[State.COMPLETE]} of {group.runs}"),
            Text(_count(group.states[State.PLAYING])),
            Text(_count(group.states[State.FAILED]), style="red"),
            Text(f"{group.steps} of {group.steps_due}"),
            Text(_count(sum(group.outcomes.values()) - group.outcomes.get(Outcome.OK, 0))),
            Text(f"{group.dollars:.2f}" if group.dollars else ""),
            Text("" if group.improvement is None else f"{group.improvement:+.1%}, n = {group.n}"),
        )
    return table


def headline(status: Status) -> Text:
    """The whole sweep in one or two lines."""
    counts = ", ".join(f"{count} {state}" for state, count in status.states.items() if count)
    parts = [f"{status.runs} runs: {counts}", f"{status.steps} of {status.steps_due} steps"]
    if status.seconds_left:
        parts.append(f"about {duration_text(status.seconds_left)} left")
    if status.dollars or status.unpriced_steps:
        unpriced = f" (and {status.unpriced_steps} steps of unknown price)" if status.unpriced_steps else ""
        parts.append(f"${status.dollars:.2f} spent{unpriced}")
    text = Text("; ".join(parts))
    if status.failures:
        failures = ", ".join(f"{count} {what}" for what, count in status.failures.items())
        text.append(f"\nattempts that machines failed: {failures}", "yellow")
    return text


def _count(number: int) -> str:
    return str(number) if number else ""
