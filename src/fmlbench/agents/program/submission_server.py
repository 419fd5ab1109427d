"""The server that answers the requests of an agent that is a program: brief, status, submissions.

It runs outside the program's sandbox and does not trust requests: each is validated or rejected, files are checked like
those of any proposal, and nothing is read from the program's folders.
"""

import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field

from fmlbench.agents.brief_page import brief_page
from fmlbench.agents.entry import Practice
from fmlbench.agents.program.protocol import (
    BriefRequest,
    CheckRequest,
    CodeRequest,
    DiffRequest,
    DoneRequest,
    EditableRequest,
    Request,
    Response,
    StatusRequest,
    SubmitRequest,
    TrialRequest,
    Unreadable,
    read_request,
)
from fmlbench.agents.program.text import caps_of, data_of, line_of, outcome_of, step_data, with_details
from fmlbench.core.agents import Session
from fmlbench.core.evaluation import Outcome
from fmlbench.core.notes import (
    AgentEnded,
    FilesLeftOut,
    RequestRefused,
    TrialRecorded,
    UsageRecorded,
    ViolationSeen,
    WaitRecorded,
)
from fmlbench.core.steps import Move, Operator, Proposal, Step
from fmlbench.core.task import Editable
from fmlbench.core.text import to_valid_utf8
from fmlbench.core.usage import Usage
from fmlbench.models.meter import Caps
from fmlbench.workspace.editing_rules import review_files
from fmlbench.workspace.trees import matches

_LONGEST_IDEA = 2000
_MOST_NOTES = 30
"""Limit of notes of each kind: repeated invalid requests must not fill the disk."""
_LONGEST_NOTE = 200
_Complaint = type[RequestRefused | ViolationSeen]


@dataclass
class SubmissionServer:
    """Serves one program from its start to its end."""

    session: Session
    steps: int
    """The run's budget."""
    seconds_left: Callable[[], float]
    spent: Callable[[], Usage] = Usage
    """The usage of the program's model that is not on record yet."""
    caps_left: Callable[[], Caps] = Caps
    """The remaining tokens and dollars of the model, if they are capped."""
    practice: Practice | None = None
    freeze: Callable[[], AbstractContextManager[None]] = nullcontext
    """Stops the program while its submission runs, so that the two cannot signal to each other."""
    clock: Callable[[], float] = time.monotonic
    is_done: bool = field(default=False, init=False)
    """Whether the agent sent ``done``."""
    _parent: int = field(init=False)
    _since: float = field(init=False)

    def __post_init__(self) -> None:
        self._parent = self.session.history.steps[-1].index
        self._since = self.clock()

    def answer(self, line: bytes) -> Response:
        """Process one request; errors are reported in the answer."""
        if not line:
            return self._refuse(RequestRefused, "The request is empty, too long or took too long to arrive.")
        try:
            request = read_request(line)
        except Unreadable as why:
            # fml only sends valid requests, so the program bypassed it.
            return self._refuse(ViolationSeen, f"The request is invalid: {_short(str(why))}.")
        if isinstance(request, SubmitRequest | TrialRequest | CheckRequest) and (
            foreign := self._not_editable(request.files)
        ):
            # fml only sends editable files, so the program bypassed it. The request is processed anyway.
            self._record(
                ViolationSeen, f"{request.ask} with files that are not editable: {', '.join(_short_paths(foreign))}"
            )
        answer = self._process(request)
        if not answer.ok:
            self._record(RequestRefused, f"{request.ask}: {answer.text}")
        return answer

    def _refuse(self, kind: _Complaint, text: str) -> Response:
        self._record(kind, text)
        return Response(ok=False, text=text)

    def _record(self, kind: _Complaint, text: str) -> None:
        """Note a rejected request, up to a limit for each kind."""
        known = sum(isinstance(note, kind) for note in self.session.history.notes)
        if known < _MOST_NOTES:
            more = " (further notes of this kind are omitted)" if known == _MOST_NOTES - 1 else ""
            self.session.note(kind(step=self._next_step, text=f"{_short(text)}{more}"))

    def _process(self, request: Request) -> Response:
        match request:
            case BriefRequest() | StatusRequest() | DoneRequest():
                return self._report(request)
            case EditableRequest():
                return self._sort(request.paths)
            case DiffRequest() | CodeRequest():
                return self._look_up(request)
            case CheckRequest():
                return self._check(request)
            case TrialRequest():
                return self._try(request)
            case SubmitRequest():
                return self._submit(request)

    def _report(self, request: BriefRequest | StatusRequest | DoneRequest) -> Response:
        if isinstance(request, DoneRequest):
            self.is_done = True
            return Response(ok=True, text="The session is over. Nothing more can be submitted.", data=self._facts())
        if isinstance(request, StatusRequest):
            return Response(ok=True, text=self._status(), data=self._facts())
        brief = self.session.brief
        return Response(ok=True, text=brief_page(brief), data={"brief": brief.model_dump(mode="json")})

    def _sort(self, paths: tuple[str, ...]) -> Response:
        foreign = set(self._not_editable(paths))
        return Response(ok=True, text="", data={"editable": [path for path in paths if path not in foreign]})

    def _not_editable(self, paths: Iterable[str]) -> list[str]:
        patterns = self.session.brief.patterns
        return [path for path in paths if not matches(path, patterns)]

    def _look_up(self, request: DiffRequest | CodeRequest) -> Response:
        history = self.session.history
        if not 0 <= request.step < len(history):
            return Response(ok=False, text=f"There is no step {request.step}; the last one is {len(history) - 1}.")
        step = history[request.step]
        code = dict(self.session.code_of(step.index))
        parents = step.move.parents
        if isinstance(request, CodeRequest):
            self._parent = step.index
            return Response(ok=True, text=f"These are the files of {line_of(step)}", data={"files": code})
        before = dict(self.session.code_of(parents[0])) if parents else code
        return Response(ok=True, text="", data={"before": before, "after": code})

    def _check(self, check: CheckRequest) -> Response:
        brief = self.session.brief
        allowed = brief.information_bytes
        editable = Editable(globs=brief.patterns, suggested=(), information_bytes=allowed)
        review = review_files(check.files, self.session.code_of(0), editable, repository=brief.repository)
        data: dict[str, object] = {
            "information_bytes": review.information_bytes,
            "information_bytes_allowed": allowed,
            "violation": review.violation,
        }
        passed = f"These files add {review.information_bytes or 0:,} of {allowed:,} allowed bytes of information."
        return Response(ok=True, text=f"rejected: {review.violation}" if review.violation else passed, data=data)

    def _try(self, trial: TrialRequest) -> Response:
        if self.practice is None:
            return Response(ok=False, text="This task has no practice questions; use 'fml submit' to get a score.")
        evaluation = self.practice({path: to_valid_utf8(text) for path, text in trial.files.items()})
        if evaluation.outcome is Outcome.REJECTED:
            # Nothing was run, so the number of such notes must be limited.
            self._record(RequestRefused, f"try: {evaluation.reason}")
        else:
            self.session.note(TrialRecorded(step=self._next_step, outcome=evaluation.outcome, score=evaluation.score))
        head = f"practice: {outcome_of(evaluation)}. Practice questions differ from those of validation."
        return Response(
            ok=True, text=with_details(head, evaluation), data={**data_of(evaluation), "log_tail": evaluation.log_tail}
        )

    def _submit(self, submission: SubmitRequest) -> Response:
        if not self.session.is_open:
            return Response(ok=False, text="The budget is spent: nothing more can be scored.", data=self._facts())
        if self.is_done:
            return Response(ok=False, text="The session was ended by 'fml done'.", data=self._facts())
        if submission.left_out:
            self.session.note(FilesLeftOut(step=self._next_step, paths=_short_paths(submission.left_out)))
        proposal = Proposal(
            move=Move(operator=Operator.IMPROVE, parents=(self._parent,)),
            files={path: to_valid_utf8(text) for path, text in submission.files.items()},
            idea=" ".join(submission.idea.split())[:_LONGEST_IDEA] or "no idea was given",
            usage=self._usage(),
        )
        step = self._test(proposal)
        text = with_details(f"{line_of(step)}\n{self._left()}", step.evaluation)
        return Response(ok=True, text=text, data=self._facts())

    def _test(self, proposal: Proposal) -> Step:
        """Spend a step; the agent's time counts again from its end on, also if it fails."""
        try:
            with self.freeze():
                step = self.session.submit(proposal)
        finally:
            self._since = self.clock()
        self._parent = step.index
        return step

    def finish(self) -> None:
        """Test a proposal that was submitted before an interruption."""
        if self.session.pending is not None:
            self._test(self.session.pending)

    def settle(self, cpu_seconds: float = 0.0, kind: type[UsageRecorded | WaitRecorded] = UsageRecorded) -> None:
        """Record the usage since the last step and the CPU time since the program's start."""
        usage = self._usage().model_copy(update={"cpu_seconds": cpu_seconds})
        self._since = self.clock()
        self.session.note(kind(step=self._next_step, usage=usage))

    def close(self, ending: str) -> None:
        """Record how the agent ended; it is not started again."""
        self.session.note(AgentEnded(step=self._next_step, reason=ending))

    def _usage(self) -> Usage:
        """The usage since the last step."""
        return self.spent().model_copy(update={"seconds": self.clock() - self._since})

    @property
    def _next_step(self) -> int:
        return len(self.session.history)

    def _status(self) -> str:
        history = self.session.history
        best = history.best
        lines = [line_of(step) for step in history]
        allowed = self.session.brief.information_bytes
        if best is not None and best.index:
            lines.append(f"The best so far is step {best.index}.")
        return "\n".join([*lines, f"A proposal may add {allowed:,} bytes of information.", self._left()])

    def _left(self) -> str:
        left = self._steps_left()
        if not self.session.is_open:
            return "The budget is spent: nothing more can be scored."
        minutes = self.seconds_left() / 60
        steps = f"{left} {'step' if left == 1 else 'steps'}"
        return f"Left: {', '.join((steps, f'{minutes:.0f} minutes', *caps_of(self.caps_left())))}."

    def _steps_left(self) -> int:
        return max(0, self.steps - len(self.session.history.proposed)) if self.session.is_open else 0

    def _facts(self) -> dict[str, object]:
        history = self.session.history
        last = history.steps[-1]
        caps = self.caps_left()
        return {
            "metric": self.session.brief.metric.name,
            "steps_left": self._steps_left(),
            "seconds_left": self.seconds_left(),
            "tokens_left": caps.tokens,
            "dollars_left": caps.dollars,
            "best_step": history.best.index if history.best else None,
            "best_score": history.best.score if history.best else None,
            "trials": sum(isinstance(note, TrialRecorded) for note in history.notes),
            "information_bytes_allowed": self.session.brief.information_bytes,
            "last": {**step_data(last), "log_tail": last.evaluation.log_tail},
            "steps": [{"idea": step.idea, **step_data(step)} for step in history],
        }


def is_over(session: Session) -> bool:
    """Whether the budget is spent or the agent's end is on record."""
    return not session.is_open or any(isinstance(note, AgentEnded) for note in session.history.notes)


def _short_paths(paths: Sequence[str]) -> tuple[str, ...]:
    return tuple(_short(path) for path in paths[:20])


def _short(text: str) -> str:
    """Untrusted text, cut to a length that can be recorded."""
    return text if len(text) <= _LONGEST_NOTE else f"{text[:_LONGEST_NOTE]}..."
