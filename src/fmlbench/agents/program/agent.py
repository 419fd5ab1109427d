"""An agent that is a program: it runs in a sandbox, with its own loop, and submits with ``fml``."""

import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from fmlbench.agents.entry import AgentWorkspace
from fmlbench.agents.program.job import Left, build_job
from fmlbench.agents.program.model_answers import ModelAnswers, answers_of
from fmlbench.agents.program.program import Program
from fmlbench.agents.program.submission_server import SubmissionServer, is_over
from fmlbench.agents.program.unix_socket import open_socket, serve_one
from fmlbench.core.agents import NoMoreCalls, Session
from fmlbench.core.errors import AgentFailed, InfraTrouble, ModelTrouble
from fmlbench.core.notes import AgentEnded, RequestRefused, UsageRecorded, WaitRecorded
from fmlbench.core.steps import History, usages_of
from fmlbench.core.usage import Usage
from fmlbench.models.meter import Caps
from fmlbench.models.proxy.access import ModelAccess, ProxyStats
from fmlbench.sandbox.freeze import Freezer
from fmlbench.sandbox.protocol import Execution, ExitKind, Job, Sandbox

GRACE_SECONDS = 30.0
"""How long a program may continue after the budget is spent."""

_POLL_SECONDS = 0.2
_NOT_FOUND = (126, 127)
"""A shell's exit codes for a command that is missing or not executable."""


@dataclass(frozen=True)
class ProgramAgent:
    """Runs a program and a submission server until it ends, its time is over, or the budget is spent."""

    program: Program
    workspace: AgentWorkspace
    steps: int
    model: ModelAccess | None = None

    def run(self, session: Session) -> None:
        """Run the program; a proposal that an interruption left pending is submitted first."""
        if session.pending is not None:
            session.submit(session.pending)
        if is_over(session):
            return
        before, hours = len(session.history), self.workspace.hours_left()
        if hours <= 0:
            session.note(AgentEnded(step=before, reason="its hours were spent before it could be resumed"))
            return
        with self._counters() as counters:
            calls_before = counters.usage().calls if counters else 0
            freezer = Freezer()
            server = self._server(session, counters, hours, freezer)
            execution = self._run_program(server, counters, freezer)
        # Usage and rejected requests are recorded first, whatever the ending.
        answers = answers_of(counters, self.workspace.folder, calls_before, execution.ending)
        server.settle(execution.cpu_seconds, WaitRecorded if answers.trouble and not answers.has_any else UsageRecorded)
        if counters and counters.refusals:
            session.note(RequestRefused(step=len(session.history), text="\n".join(counters.refusals)))
        if session.is_open:
            _require_end(execution, answers, has_submitted=len(session.history) > before)
        server.close("; ".join(filter(None, (_ending(execution), counters and counters.summary()))))
        if counters and counters.end():
            raise NoMoreCalls(counters.end())

    @contextmanager
    def _counters(self) -> Generator[ProxyStats | None]:
        """Open the proxy of the program's model; None without a model."""
        if self.model is None:
            yield None
            return
        folder = self.workspace.folder
        with open_socket(folder / "model") as listening, self.model.opened(listening, folder) as counters:
            yield counters

    def _server(
        self, session: Session, counters: ProxyStats | None, hours: float, freezer: Freezer
    ) -> SubmissionServer:
        deadline = time.monotonic() + hours * 3600
        return SubmissionServer(
            session=session,
            steps=self.steps,
            seconds_left=lambda: max(0.0, deadline - time.monotonic()),
            spent=lambda: _spent(session.history, counters),
            caps_left=lambda: self._caps_left(counters),
            practice=self.workspace.practice,
            freeze=freezer.frozen,
        )

    def _caps_left(self, counters: ProxyStats | None) -> Caps:
        """The remaining tokens and dollars of the model, if they are capped."""
        if self.model is None or counters is None:
            return Caps()
        caps, spent = self.model.caps, counters.usage()
        tokens = spent.input_tokens + spent.output_tokens
        return Caps(
            tokens=None if caps.tokens is None else max(0, caps.tokens - tokens),
            dollars=None if caps.dollars is None else max(0.0, caps.dollars - (spent.dollars or 0.0)),
        )

    def _run_program(self, server: SubmissionServer, counters: ProxyStats | None, freezer: Freezer) -> Execution:
        session = server.session
        with open_socket(self.workspace.folder / "server") as listening:
            hours = server.seconds_left() / 3600
            left = Left(hours, self.steps - len(session.history.proposed), self._caps_left(counters))
            job = build_job(self.program, self.workspace, session, left, self.model)
            run = _InBackground(self.workspace.sandbox, replace(job, freezer=freezer))
            try:
                closing = float("inf")
                while run.is_running and time.monotonic() < closing:
                    serve_one(listening, server.answer, _POLL_SECONDS)
                    if not session.is_open:
                        closing = min(closing, time.monotonic() + GRACE_SECONDS)
            except BaseException:
                # Record the program's CPU time before the interruption is passed on.
                server.settle(run.end().cpu_seconds)
                raise
            return run.end()


def _spent(history: History, counters: ProxyStats | None) -> Usage:
    """The usage of all model calls that are not on record yet."""
    charged = sum(usage.calls for usage in usages_of(history, history.notes))
    return counters.usage(charged) if counters else Usage()


def _require_end(execution: Execution, answers: ModelAnswers, *, has_submitted: bool) -> None:
    """Raise if the program was stopped by a failure of ours, so that the run can be resumed."""
    if execution.ending is ExitKind.INFRA:
        raise InfraTrouble(
            f"The agent's sandbox failed: {execution.reason}.", hint="Fix the cause, then resume the run."
        )
    if execution.exit_code in _NOT_FOUND and not has_submitted:
        raise AgentFailed(
            f"The agent's command could not be started: {execution.log_tail.strip()[-300:]}",
            hint="To mount a folder of this machine, start another run with --set see=/folder. Or fix the command.",
        )
    # A pending call at the deadline is normal; a program that never got a response made no progress.
    is_over = execution.ending is ExitKind.TIMEOUT and (has_submitted or answers.has_any)
    if answers.trouble and not is_over:
        raise ModelTrouble(
            f"The agent stopped after its model had not answered: {answers.trouble}.",
            hint="Check the provider's status and your account, then resume the run.",
        )


class _InBackground:
    """Runs a job in a thread, so that requests can be served meanwhile."""

    def __init__(self, sandbox: Sandbox, job: Job) -> None:
        self._stop = threading.Event()
        self._execution: Execution | None = None
        self._thread = threading.Thread(target=self._run, args=(sandbox, job))
        self._thread.start()

    @property
    def is_running(self) -> bool:
        """Whether the job still runs."""
        return self._thread.is_alive()

    def end(self) -> Execution:
        """Stop the job if it still runs; return its result."""
        self._stop.set()
        self._thread.join()
        if self._execution is None:
            raise InfraTrouble(
                "The agent's sandbox could not be run.", hint="Run 'fmlbench doctor' to check the sandbox."
            )
        return self._execution

    def _run(self, sandbox: Sandbox, job: Job) -> None:
        self._execution = sandbox.run(replace(job, stop=self._stop))


def _ending(execution: Execution) -> str:
    reason = execution.reason or "it ended by itself"
    return f"{execution.ending}: {reason}; after {execution.seconds:.0f} s, {execution.cpu_seconds:.0f} CPU seconds"
