"""Show a run while it executes: a line per step, and the estimated time left.

The view receives the logged events and never shows a hidden test score.
"""

import time
from collections.abc import Callable
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.status import Status
from rich.text import Text

from fmlbench.core.notes import AgentEnded, InvitationShown, Note
from fmlbench.core.run import RunSpec, due_retests
from fmlbench.core.task import Task
from fmlbench.core.text import counted, score_text
from fmlbench.records.events import (
    Event,
    NoteMade,
    ProposalMade,
    Retested,
    RunFinished,
    RunStarted,
    StepFinished,
    StepStarted,
    TestScored,
    Trouble,
)
from fmlbench.records.replay import RunState
from fmlbench.reports.number_text import duration_text
from fmlbench.reports.steps import StepRow, outcome_style, step_rows
from fmlbench.reports.terminal import seal
from fmlbench.reports.untrusted import one_line


class RunView:
    """Receives every event and prints it for the user. It keeps a copy of the run's state."""

    def __init__(
        self, console: Console, spec: RunSpec, task: Task, state: RunState, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._console = console
        self._spec = spec
        self._metric = task.metric
        self._state = state
        self._clock = clock
        self._since = clock()
        self._done_here = 0
        self._status: Status | None = None

    def __enter__(self) -> Self:
        self._print(self._title())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._status:
            self._status.stop()

    def __call__(self, event: Event) -> None:
        """Show an event."""
        self._state.apply(event)
        match event:
            case RunStarted():
                # Preparation can take minutes, which would distort the estimate per step.
                self._since = self._clock()
            case ProposalMade():
                self._show_activity(f"step {event.index} of {self._spec.budget.steps}: {one_line(event.idea, 60)}")
            case StepStarted():
                self._show_step_start(event)
            case StepFinished():
                self._done_here += 1
                self._print(self._step_line())
                self._show_activity("the sealed exam")
            case TestScored():
                self._show_activity("proposing")
            case Trouble():
                self._print(
                    Text(f"step {event.index}: infrastructure failure ({one_line(event.reason, 200)})", "yellow")
                )
            case NoteMade():
                self._show_note(event.note)
            case RunFinished():
                self._print(Text(f"Search finished: {event.reason}.{self._retest_announcement()}"))
                self._show_retests()
            case Retested():
                self._done_here += 1
                self._show_retests()
            case _:
                pass

    def _show_note(self, note: Note) -> None:
        """Show messages to the user, and how an agent program ended."""
        if isinstance(note, InvitationShown):
            self._print(Text(note.text))
        elif isinstance(note, AgentEnded):
            self._print(Text(f"The agent ended: {one_line(note.reason, 400)}."))

    def _title(self) -> Text:
        spec = self._spec
        title = Text(f"{spec.run_id}: {counted(spec.budget.steps, 'step')}, ")
        title.append_text(seal(spec.isolation))
        if self._state.steps:
            title.append(f", resuming after step {len(self._state.steps) - 1}")
        return title

    def _show_step_start(self, event: StepStarted) -> None:
        again = f" (attempt {event.attempt})" if event.attempt > 1 else ""
        self._show_activity(f"step {event.index} of {self._spec.budget.steps}: experiment{again}")

    def _show_retests(self) -> None:
        """Show how many retests are done, without their scores."""
        done, due = len(self._state.retests), retests_due(self._spec, self._state, self._winner())
        self._show_activity(f"retest: {done} of {due} done")
        if done and not self._console.is_terminal:
            self._print(Text(", ".join(filter(None, (f"retest {done}/{due} done", self._remaining())))))

    def _winner(self) -> int:
        best = self._state.history(self._metric).best
        return best.index if best else 0

    def _step_line(self) -> Text:
        row = step_rows(self._state, self._metric)[-1]
        line = _columns(row, self._spec.budget.steps)
        room = max(20, self._console.width - len(line) - 2) if self._console.is_terminal else 200
        words = row.idea if row.score is not None else f"{row.idea} [{row.reason}]"
        line.append(f"  {one_line(words, room)}")
        remaining = self._remaining()
        if remaining and not self._console.is_terminal:
            line.append(f"  ({remaining})")
        return line

    def _retest_announcement(self) -> str:
        seeds = self._spec.retest_seeds
        if not seeds:
            return ""
        who = "the best step and the baseline are" if self._winner() else "the baseline is"
        return f" Now {who} retested on {seeds} fresh seed{'s' if seeds > 1 else ''}."

    def _remaining(self) -> str:
        left = jobs_left(self._spec, self._state, self._winner())
        if not left or not self._done_here:
            return ""
        return f"about {duration_text(left * (self._clock() - self._since) / self._done_here)} left"

    def _show_activity(self, what: str) -> None:
        """Show the current activity on the last line of a terminal."""
        if not self._console.is_terminal:
            return
        text = Text(", ".join(filter(None, (what, self._remaining()))))
        if self._status is None:
            self._status = self._console.status(text)
            self._status.start()
        self._status.update(text)

    def _print(self, line: Text) -> None:
        self._console.print(line, soft_wrap=True)


def jobs_left(spec: RunSpec, state: RunState, winner: int) -> int:
    """The number of remaining steps and retests; each takes about as long as a step."""
    steps = 0 if state.finished else spec.budget.steps + 1 - len(state.steps)
    return max(0, steps) + max(0, retests_due(spec, state, winner) - len(state.retests))


def retests_due(spec: RunSpec, state: RunState, winner: int) -> int:
    """The total number of retests: of the baseline, and of the best step unless the search ended without one."""
    return len(list(due_retests(state.task, spec.retest_seeds, winner if state.finished else max(winner, 1))))


def _columns(row: StepRow, steps: int) -> Text:
    width = len(str(steps))
    line = Text(f"step {row.index:>{width}}/{steps}  ")
    line.append(f"{row.outcome:<13}", style=outcome_style(row.outcome))
    line.append(f"  {score_text(row.score):>9}")
    line.append(" * " if row.was_best else "   ", style="bold yellow")
    line.append(f"{duration_text(row.seconds):>11}", style="dim")
    return line
