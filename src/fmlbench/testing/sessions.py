"""A session in memory, to run agents without an engine."""

import hashlib
import json
import traceback
from collections.abc import Callable, Mapping, Sequence

from fmlbench.core.agents import Brief
from fmlbench.core.evaluation import Evaluation, Metric, Outcome
from fmlbench.core.notes import Note
from fmlbench.core.steps import History, Move, Operator, Proposal, Step
from fmlbench.testing.histories import ACCURACY, Result, evaluation_of

Files = Mapping[str, str]
Experiment = Callable[[Files], Result]
"""Scores a candidate's files; what it raises is the candidate's crash."""


class RecordedSession:
    """Plays the engine's part: scores are a function of the files, and everything is kept for the test to read."""

    def __init__(
        self,
        files: Files,
        experiment: Experiment,
        *,
        steps: int,
        seed: int = 0,
        metric: Metric = ACCURACY,
        suggested: Sequence[str] = (),
        pending: Proposal | None = None,
    ) -> None:
        self.seed = seed
        self.pending = pending
        self.brief = _brief(files, metric, suggested)
        self._experiment = experiment
        self._budget = steps
        self._metric = metric
        self._notes: list[Note] = []
        self._code: list[Files] = []
        self._steps: list[Step] = []
        baseline = Move(operator=Operator.BASELINE, parents=())
        self._record(Proposal(baseline, dict(files), "the code as it is"), self._run(files))

    @property
    def history(self) -> History:
        """The steps so far."""
        return History(self._metric, tuple(self._steps), tuple(self._notes), self._budget)

    @property
    def is_open(self) -> bool:
        """Whether there is budget for another step."""
        return len(self._steps) <= self._budget

    def code_of(self, step: int) -> Files:
        """The files after a step."""
        return dict(self._code[step])

    def repository(self) -> Files:
        """The files before any step; here, all of them are editable."""
        return dict(self._code[0])

    def note(self, note: Note) -> None:
        """Keep a note."""
        self._notes.append(note)

    def submit(self, proposal: Proposal) -> Step:
        """Score a proposal."""
        assert self.is_open, "a step was submitted after the budget was spent"
        self.pending = None
        parents = proposal.move.parents
        assert all(0 <= parent < len(self._steps) for parent in parents), f"no such parents: {parents}"
        if proposal.rejection:
            evaluation = Evaluation(outcome=Outcome.REJECTED, reason=proposal.rejection)
        else:
            evaluation = self._run(proposal.files)
        return self._record(proposal, evaluation)

    def interrupted_after(self, steps: int) -> "RecordedSession":
        """The same session as it would be found after a restart, with that many steps done."""
        other = RecordedSession(
            self._code[0],
            self._experiment,
            steps=self._budget,
            seed=self.seed,
            metric=self._metric,
            suggested=self.brief.suggested,
        )
        other._code, other._steps = self._code[: steps + 1], self._steps[: steps + 1]
        other._notes = [note for note in self._notes if note.step <= steps]
        return other

    def _run(self, files: Files) -> Evaluation:
        try:
            return evaluation_of(self._experiment(files))
        except Exception as error:
            return Evaluation(outcome=Outcome.CRASHED, reason=repr(error), log_tail=traceback.format_exc()[-2000:])

    def _record(self, proposal: Proposal, evaluation: Evaluation) -> Step:
        index, files = len(self._steps), dict(proposal.files)
        snapshot = hashlib.sha256(json.dumps([index, files], sort_keys=True).encode()).hexdigest()[:40]
        step = Step(
            index=index,
            move=proposal.move,
            idea=proposal.idea,
            snapshot=snapshot,
            evaluation=evaluation,
            usage=proposal.usage,
        )
        self._code.append(files)
        self._steps.append(step)
        return step


def comparable_steps(history: History) -> list[tuple[Move, str, str, Evaluation]]:
    """What a search did, without how long it took: equal for equal searches."""
    return [(step.move, step.idea, step.snapshot, step.evaluation) for step in history]


def _brief(files: Files, metric: Metric, suggested: Sequence[str]) -> Brief:
    return Brief(
        task="recorded",
        title="A task in memory",
        question="Which files score best?",
        instructions="Change the files.",
        codebase="the files given",
        repository=tuple(sorted(files)),
        editable=tuple(sorted(files)),
        patterns=("**",),
        suggested=tuple(suggested),
        information_bytes=4096,
        protected=(),
        commands=(),
        metric=metric,
        baseline_score=None,
        sigma=None,
        rules=(),
        track="cpu",
        sealed=False,
    )
