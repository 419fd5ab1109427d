"""The desk: where a program that is an agent asks, submits and gets its scores.

It stands outside the program's sandbox. What comes over it is somebody else's word: a request is read into its type or
refused, files are judged like any proposal's, and nothing is ever read from the program's own folders.
"""

import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field

from fmlbench.agents.brief_page import brief_page
from fmlbench.agents.context import Practice
from fmlbench.agents.program.protocol import (
    BriefRequest,
    CheckRequest,
    CodeRequest,
    DiffRequest,
    DoneRequest,
    Request,
    Response,
    Sorting,
    StatusRequest,
    SubmitRequest,
    TrialRequest,
    Unreadable,
    read_request,
)
from fmlbench.agents.program.text import caps_of, data_of, line_of, outcome_of, step_data, with_details
from fmlbench.core.agents import Session
from fmlbench.core.evaluation import Outcome
from fmlbench.core.figures import score_text
from fmlbench.core.steps import ENDING, SPENT, VIOLATION, Move, Note, Operator, Proposal, Step, Usage
from fmlbench.core.task import Editable
from fmlbench.core.text import to_valid_utf8
from fmlbench.models.metering import Caps
from fmlbench.workspace.editing_rules import review_files
from fmlbench.workspace.globs import matches

_LONGEST_IDEA = 2000
_TRIAL = "trial"
"""The kind of note that counts a trial, over interruptions too."""
REFUSED = "refused"
"""The kind of note that says what was asked for in vain."""
_MOST_REMEMBERED = 30
"""Of each kind: whoever asks in vain for hours must not fill the disk."""
_LONGEST_NOTE = 200


@dataclass
class SubmissionServer:
    """One program's desk, from its start to its end."""

    session: Session
    steps: int
    """The run's budget."""
    seconds_left: Callable[[], float]
    spent: Callable[[], Usage] = Usage
    """What models have cost since it was last asked."""
    caps_left: Callable[[], Caps] = Caps
    """What is left of its model, where that is capped."""
    practice: Practice | None = None
    still: Callable[[], AbstractContextManager[None]] = nullcontext
    """Hold the program still while its submission is tested: they must not talk to each other."""
    clock: Callable[[], float] = time.monotonic
    is_done: bool = field(default=False, init=False)
    """Whether the agent said that it has finished."""
    _parent: int = field(init=False)
    _since: float = field(init=False)

    def __post_init__(self) -> None:
        self._parent = self.session.history.steps[-1].index
        self._since = self.clock()

    def answer(self, line: bytes) -> Response:
        """Carry out one request; what is wrong with it is said in the answer."""
        if not line:
            return self._refuse(REFUSED, "This request is empty, too long or too slow.")
        try:
            request = read_request(line)
        except Unreadable as why:
            # The tool sends nothing that cannot be read, so somebody wrote this by hand.
            return self._refuse(VIOLATION, f"This request cannot be read: {_short(str(why))}.")
        if isinstance(request, SubmitRequest | TrialRequest | CheckRequest) and (
            foreign := self._not_editable(request.files)
        ):
            # The tool takes along what may be changed and nothing else; the files are judged all the same.
            self._remember(VIOLATION, f"{request.ask} with files that are not editable: {_listed(foreign)}")
        answer = self._carry_out(request)
        if not answer.ok:
            self._remember(REFUSED, f"{request.ask}: {answer.text}")
        return answer

    def _refuse(self, kind: str, text: str) -> Response:
        self._remember(kind, text)
        return Response(ok=False, text=text)

    def _remember(self, kind: str, text: str) -> None:
        """Put on the record what no score came of, the first so many times."""
        known = sum(note.kind == kind for note in self.session.history.notes)
        if known < _MOST_REMEMBERED:
            is_last = known == _MOST_REMEMBERED - 1
            self._note(kind, f"{_short(text)}{' (more of this is not written down)' if is_last else ''}")

    def _carry_out(self, request: Request) -> Response:
        match request:
            case BriefRequest() | StatusRequest() | DoneRequest():
                return self._tell(request)
            case Sorting():
                return self._sort(request.paths)
            case DiffRequest() | CodeRequest():
                return self._look_up(request)
            case CheckRequest():
                return self._check(request)
            case TrialRequest():
                return self._try(request)
            case SubmitRequest():
                return self._submit(request)

    def _tell(self, request: BriefRequest | StatusRequest | DoneRequest) -> Response:
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
            return Response(ok=False, text="This task has no practice questions; 'fml submit' is the way to a score.")
        evaluation = self.practice({path: to_valid_utf8(text) for path, text in trial.files.items()})
        if evaluation.outcome is Outcome.REJECTED:
            # Nothing was run, so there may be any number of these.
            self._remember(REFUSED, f"try: {evaluation.reason}")
        else:
            self._note(_TRIAL, f"{evaluation.outcome} {score_text(evaluation.score)}")
        head = f"practice: {outcome_of(evaluation)}. Practice scores are about other questions than validation's."
        return Response(
            ok=True, text=with_details(head, evaluation), data={**data_of(evaluation), "log_tail": evaluation.log_tail}
        )

    def _submit(self, submission: SubmitRequest) -> Response:
        if not self.session.is_open:
            return Response(ok=False, text="The budget is spent: nothing more can be scored.", data=self._facts())
        if self.is_done:
            return Response(ok=False, text="The session was ended by 'fml done'.", data=self._facts())
        if submission.left_out:
            self._note("protected", f"changed and not taken: {_listed(submission.left_out)}")
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
        """Spend a step; what is spent is counted anew from its end on, whatever that is."""
        try:
            with self.still():
                step = self.session.submit(proposal)
        finally:
            self._since = self.clock()
        self._parent = step.index
        return step

    def finish(self) -> None:
        """Have what was submitted before an interruption tested."""
        if self.session.pending is not None:
            self._test(self.session.pending)

    def settle(self, cpu_seconds: float = 0.0, kind: str = SPENT) -> None:
        """Write down what was spent since the last step, and what CPU time the program took from its start on."""
        usage = self._usage().model_copy(update={"cpu_seconds": cpu_seconds})
        self._since = self.clock()
        self._note(kind, usage.model_dump_json())

    def close(self, ending: str) -> None:
        """Write down how the agent ended: it is not started again."""
        self._note(ENDING, ending)

    def _usage(self) -> Usage:
        """What was spent since the last step."""
        return self.spent().model_copy(update={"seconds": self.clock() - self._since})

    def _note(self, kind: str, text: str) -> None:
        self.session.note(Note(step=len(self.session.history), kind=kind, text=text))

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
            "trials": sum(note.kind == _TRIAL for note in history.notes),
            "information_bytes_allowed": self.session.brief.information_bytes,
            "last": {**step_data(last), "log_tail": last.evaluation.log_tail},
            "steps": [{"idea": step.idea, **step_data(step)} for step in history],
        }


def is_over(session: Session) -> bool:
    """Whether there is nothing to go on with: the budget is spent, or the agent's ending is on record."""
    return not session.is_open or any(note.kind == ENDING for note in session.history.notes)


def _listed(paths: Sequence[str]) -> str:
    return ", ".join(_short(path) for path in paths[:20])


def _short(text: str) -> str:
    """What somebody else wrote, short enough to be kept."""
    return text if len(text) <= _LONGEST_NOTE else f"{text[:_LONGEST_NOTE]}..."
