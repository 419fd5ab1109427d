"""An agent's session: the only way to spend a run's budget, and no way to a test score."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from fmlbench.core.agents import SessionClosed
from fmlbench.core.brief import Brief
from fmlbench.core.errors import InfraTrouble
from fmlbench.core.evaluation import Evaluation, Outcome
from fmlbench.core.run import RunSpec
from fmlbench.core.steps import History, Move, Note, Operator, Proposal, Step
from fmlbench.core.task import ExamName
from fmlbench.core.text import to_valid_utf8
from fmlbench.engine.budget import is_spent
from fmlbench.engine.journal import Journal
from fmlbench.experiment.evaluator import CandidateEvaluator
from fmlbench.experiment.prepared_task import PreparedTask
from fmlbench.records.events import NoteMade, ProposalMade, StepFinished, StepStarted, TestScored, Trouble
from fmlbench.records.folder import RunFolder
from fmlbench.workspace.editing_rules import FileReview, review_files
from fmlbench.workspace.snapshots import Snapshots
from fmlbench.workspace.trees import editable_files, repository_files, repository_texts

MAX_ATTEMPTS = 3
"""How often a step is tried on a machine that fails, before the run stops and waits for a resume."""

_PAUSE_SECONDS = 2.0


@dataclass
class RunSession:
    """The session of one run; submitting logs first and returns afterwards."""

    spec: RunSpec
    prepared: PreparedTask
    folder: RunFolder
    journal: Journal
    snapshots: Snapshots
    write_brief: Callable[[float | None], Brief]
    sleep: Callable[[float], None] = time.sleep
    tests_later: bool = False
    """Whether sealed exams wait until the agent is done; a program with a clock must not see how long they take."""

    @property
    def brief(self) -> Brief:
        """Everything an agent is told, with this run's own baseline score."""
        steps = self.journal.state.steps
        return self.write_brief(steps[0].score if steps else None)

    @property
    def history(self) -> History:
        """The steps so far."""
        return self.journal.state.history(self.prepared.task.metric)

    @property
    def seed(self) -> int:
        """The run's seed."""
        return self.spec.seed

    @property
    def is_open(self) -> bool:
        """Whether there is budget for another step."""
        return not is_spent(self.spec.budget, self.journal.state.steps)

    @property
    def pending(self) -> Proposal | None:
        """The logged proposal whose experiment was interrupted, if there is one."""
        made = self.journal.state.pending
        if made is None or made.move.operator is Operator.BASELINE:
            return None
        return Proposal(
            move=made.move,
            files=self.snapshots.read(made.snapshot),
            idea=made.idea,
            usage=made.usage,
            rejection=made.rejection,
        )

    def code_of(self, step: int) -> Mapping[str, str]:
        """The editable files after a step."""
        return self.snapshots.read(self.history[step].snapshot)

    def repository(self) -> Mapping[str, str]:
        """Every text file of the untouched repository."""
        return repository_texts(self.prepared.codebase)

    def note(self, note: Note) -> None:
        """Log a note."""
        self.journal.append(NoteMade(note=note.model_copy(update={"text": to_valid_utf8(note.text)})))

    def submit(self, proposal: Proposal) -> Step:
        """Spend one step on a proposal."""
        if not self.is_open:
            raise SessionClosed("The budget of this run is spent.")
        return self._take(proposal)

    def run_baseline(self) -> None:
        """Step 0: the codebase as it is, on this run's own seeds."""
        if not self.journal.state.steps:
            baseline = Move(operator=Operator.BASELINE, parents=())
            self._take(Proposal(move=baseline, files=self._untouched_files(), idea="baseline"))

    def catch_up(self) -> None:
        """Take the sealed exams that were put off, or that an interruption left out."""
        state = self.journal.state
        for step in state.steps:
            if step.evaluation.is_ok and step.index not in state.tests:
                self._take_sealed_exam(step, self.snapshots.read(step.snapshot))

    def _take(self, proposal: Proposal) -> Step:
        """Experiment with a proposal; while a logged one still waits, that one is meant, whatever is handed in."""
        made = self.journal.state.pending
        if made is None:
            proposal, information_bytes = self._judge(proposal)
            made, files = self._log(proposal, information_bytes), proposal.files
        else:
            files = self.snapshots.read(made.snapshot)
        if made.rejection:
            evaluation = Evaluation(outcome=Outcome.REJECTED, reason=made.rejection)
        else:
            evaluation = self._experiment(made.index, files)
        step = Step(
            index=made.index,
            move=made.move,
            idea=made.idea,
            snapshot=made.snapshot,
            evaluation=evaluation,
            usage=made.usage,
            information_bytes=made.information_bytes,
        )
        self.journal.append(StepFinished(step=step))
        if not (self.tests_later and step.evaluation.is_ok):
            self._take_sealed_exam(step, files)
        return step

    def violation_of(self, files: Mapping[str, str]) -> str:
        """The editing rule that these files break, in words; empty if they break none."""
        return self._review(files).violation

    def _review(self, files: Mapping[str, str]) -> FileReview:
        repository = repository_files(self.prepared.codebase)
        editable = self.prepared.task.editable
        return review_files(files, self._untouched_files(), editable, repository=repository)

    def _judge(self, proposal: Proposal) -> tuple[Proposal, int | None]:
        """Reject what breaks the editing rules, and measure the added information.

        Rejected files are not stored; the step keeps its parent's code.
        """
        review = FileReview(proposal.rejection) if proposal.rejection else self._review(proposal.files)
        if review.violation:
            parents = proposal.move.parents
            kept = self.code_of(parents[0]) if parents else self._untouched_files()
            proposal = replace(proposal, files=kept, rejection=review.violation)
        return proposal, review.information_bytes

    def _untouched_files(self) -> Mapping[str, str]:
        return editable_files(self.prepared.codebase, self.prepared.task.editable)

    def _log(self, proposal: Proposal, information_bytes: int | None) -> ProposalMade:
        """Store the files, then name them in the log: what the log names must exist."""
        steps = self.journal.state.steps
        index = len(steps)
        snapshot = self.snapshots.store(
            proposal.files,
            [steps[parent].snapshot for parent in proposal.move.parents],
            f"step {index}: {proposal.idea}",
            ref=f"refs/heads/steps/{index}",
        )
        made = ProposalMade(
            index=index,
            move=proposal.move,
            idea=to_valid_utf8(proposal.idea),
            snapshot=snapshot,
            usage=proposal.usage,
            rejection=to_valid_utf8(proposal.rejection),
            information_bytes=information_bytes,
        )
        self.journal.append(made)
        return made

    def _evaluator(self, index: int, files: Mapping[str, str]) -> CandidateEvaluator:
        return CandidateEvaluator(
            prepared=self.prepared,
            files=files,
            folder=self.folder.bench / str(index),
            label=f"{self.spec.run_id}-{index}",
            purpose=("step", self.spec.seed),
        )

    def _experiment(self, index: int, files: Mapping[str, str]) -> Evaluation:
        state = self.journal.state
        baseline = state.steps[0].evaluation.metrics if state.steps else {}
        evaluator = self._evaluator(index, files)

        def attempt() -> Evaluation:
            self.journal.append(StepStarted(index=index, attempt=state.attempts + 1))
            return evaluator.validate(baseline)

        evaluation = self._persistently(index, attempt)
        evaluator.keep(ExamName.VALIDATION, self.folder.step(index))
        self._insist_on_baseline(index, evaluation)
        return evaluation

    def _take_sealed_exam(self, step: Step, files: Mapping[str, str]) -> None:
        """Score a finished step on the hidden test; its fate reaches no agent."""
        evaluator = self._evaluator(step.index, files)
        if step.evaluation.is_ok and step.index not in self.journal.state.tests:
            first = self.journal.state.tests.get(0)
            baseline = first.metrics if first else {}
            evaluation = self._persistently(step.index, lambda: evaluator.take_test(baseline))
            evaluator.keep(ExamName.TEST, self.folder.step(step.index) / "sealed")
            self._insist_on_baseline(step.index, evaluation)
            self.journal.append(TestScored(index=step.index, evaluation=evaluation))
        evaluator.clear()

    def _insist_on_baseline(self, index: int, evaluation: Evaluation) -> None:
        """Stop where the untouched code has no score: nothing could be compared with it, and no agent is to blame."""
        if index or evaluation.is_ok:
            return
        task = self.prepared.task.name
        trouble = f"The untouched code of '{task}' has no score here: {evaluation.outcome} ({evaluation.reason})."
        self.journal.append(Trouble(index=index, reason=trouble))
        raise InfraTrouble(
            trouble,
            hint=f"The task or a machine too slow for it is at fault; its logs are in {self.folder.step(index)}.",
        )

    def _persistently(self, index: int, attempt: Callable[[], Evaluation]) -> Evaluation:
        """Try again where the machine failed; what the candidate did wrong is a result like any other."""
        for number in range(1, MAX_ATTEMPTS):
            try:
                return attempt()
            except InfraTrouble as trouble:
                self.journal.append(Trouble(index=index, reason=trouble.message))
                self.sleep(_PAUSE_SECONDS * number)
        return attempt()
