"""An agent's session: the only way to spend a run's budget; it never reveals test scores."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from fmlbench.core.agents import Brief, SessionClosed
from fmlbench.core.errors import InfraTrouble
from fmlbench.core.evaluation import Evaluation, Outcome
from fmlbench.core.notes import Note
from fmlbench.core.run import RunSpec
from fmlbench.core.steps import History, Move, Operator, Proposal, Step
from fmlbench.core.task import ExamName
from fmlbench.core.text import to_valid_utf8
from fmlbench.engine.brief import write_brief
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
"""How often a step is tried after infrastructure failures, before the run stops and must be resumed."""

_PAUSE_SECONDS = 2.0


@dataclass
class RunSession:
    """The session of one run; a submitted step is logged before ``submit`` returns."""

    spec: RunSpec
    prepared: PreparedTask
    folder: RunFolder
    journal: Journal
    snapshots: Snapshots
    sleep: Callable[[float], None] = time.sleep
    tests_later: bool = False
    """Whether hidden tests wait until the agent is done: a program with a clock could measure how long they take."""

    @property
    def brief(self) -> Brief:
        """The brief, with the baseline score of this run."""
        steps = self.journal.state.steps
        return write_brief(self.prepared, steps[0].score if steps else None)

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
        logged = self.journal.state.pending
        if logged is None or logged.move.operator is Operator.BASELINE:
            return None
        return Proposal(
            move=logged.move,
            files=self.snapshots.read(logged.snapshot),
            idea=logged.idea,
            usage=logged.usage,
            rejection=logged.rejection,
        )

    def code_of(self, step: int) -> Mapping[str, str]:
        """The editable files after a step."""
        return self.snapshots.read(self.history[step].snapshot)

    def repository(self) -> Mapping[str, str]:
        """Every text file of the original repository."""
        return repository_texts(self.prepared.codebase)

    def note(self, note: Note) -> None:
        """Log a note."""
        self.journal.append(NoteMade(note=note))

    def submit(self, proposal: Proposal) -> Step:
        """Spend one step on a proposal."""
        if not self.is_open:
            raise SessionClosed("The budget of this run is spent.")
        return self._run_step(proposal)

    def run_baseline(self) -> None:
        """Step 0: the unchanged codebase on this run's samples."""
        if not self.journal.state.steps:
            baseline = Move(operator=Operator.BASELINE, parents=())
            self._run_step(Proposal(move=baseline, files=self._original_files(), idea="baseline"))

    def run_missing_tests(self) -> None:
        """Run the hidden tests that were postponed or interrupted."""
        state = self.journal.state
        for step in state.steps:
            if step.evaluation.is_ok and step.index not in state.tests:
                self._run_hidden_test(step, self.snapshots.read(step.snapshot))

    def _run_step(self, proposal: Proposal) -> Step:
        """Evaluate a proposal; if a logged one is pending, evaluate that one and ignore the argument."""
        logged = self.journal.state.pending
        if logged is None:
            proposal, information_bytes = self._apply_editing_rules(proposal)
            logged, files = self._log(proposal, information_bytes), proposal.files
        else:
            files = self.snapshots.read(logged.snapshot)
        if logged.rejection:
            evaluation = Evaluation(outcome=Outcome.REJECTED, reason=logged.rejection)
        else:
            evaluation = self._validate(logged.index, files)
        step = Step(
            index=logged.index,
            move=logged.move,
            idea=logged.idea,
            snapshot=logged.snapshot,
            evaluation=evaluation,
            usage=logged.usage,
            information_bytes=logged.information_bytes,
        )
        self.journal.append(StepFinished(step=step))
        if not (self.tests_later and step.evaluation.is_ok):
            self._run_hidden_test(step, files)
        return step

    def violation_of(self, files: Mapping[str, str]) -> str:
        """The editing rule that these files break, as text; empty if they break none."""
        return self._review(files).violation

    def _review(self, files: Mapping[str, str]) -> FileReview:
        repository = repository_files(self.prepared.codebase)
        editable = self.prepared.task.editable
        return review_files(files, self._original_files(), editable, repository=repository)

    def _apply_editing_rules(self, proposal: Proposal) -> tuple[Proposal, int | None]:
        """Reject a proposal that breaks the editing rules, and measure its added information.

        Rejected files are not stored; the step keeps its parent's code.
        """
        review = FileReview(proposal.rejection) if proposal.rejection else self._review(proposal.files)
        if review.violation:
            parents = proposal.move.parents
            kept = self.code_of(parents[0]) if parents else self._original_files()
            proposal = replace(proposal, files=kept, rejection=review.violation)
        return proposal, review.information_bytes

    def _original_files(self) -> Mapping[str, str]:
        return editable_files(self.prepared.codebase, self.prepared.task.editable)

    def _log(self, proposal: Proposal, information_bytes: int | None) -> ProposalMade:
        """Store the files before the log entry that refers to them."""
        steps = self.journal.state.steps
        index = len(steps)
        snapshot = self.snapshots.store(
            proposal.files,
            [steps[parent].snapshot for parent in proposal.move.parents],
            f"step {index}: {proposal.idea}",
            ref=f"refs/heads/steps/{index}",
        )
        logged = ProposalMade(
            index=index,
            move=proposal.move,
            idea=to_valid_utf8(proposal.idea),
            snapshot=snapshot,
            usage=proposal.usage,
            rejection=to_valid_utf8(proposal.rejection),
            information_bytes=information_bytes,
        )
        self.journal.append(logged)
        return logged

    def _evaluator(self, index: int, files: Mapping[str, str]) -> CandidateEvaluator:
        return CandidateEvaluator(
            prepared=self.prepared,
            files=files,
            folder=self.folder.experiments / str(index),
            label=f"{self.spec.run_id}-{index}",
            purpose=("step", self.spec.seed),
        )

    def _validate(self, index: int, files: Mapping[str, str]) -> Evaluation:
        state = self.journal.state
        baseline = state.steps[0].evaluation.metrics if state.steps else {}
        evaluator = self._evaluator(index, files)

        def attempt() -> Evaluation:
            self.journal.append(StepStarted(index=index, attempt=state.attempts + 1))
            return evaluator.validate(baseline)

        evaluation = self._with_retries(index, attempt)
        evaluator.keep(ExamName.VALIDATION, self.folder.step(index))
        self._require_baseline_score(index, evaluation)
        return evaluation

    def _run_hidden_test(self, step: Step, files: Mapping[str, str]) -> None:
        """Score a finished step on the hidden test; agents never see the result."""
        evaluator = self._evaluator(step.index, files)
        if step.evaluation.is_ok and step.index not in self.journal.state.tests:
            first = self.journal.state.tests.get(0)
            baseline = first.metrics if first else {}
            evaluation = self._with_retries(step.index, lambda: evaluator.take_test(baseline))
            evaluator.keep(ExamName.TEST, self.folder.step(step.index) / "sealed")
            self._require_baseline_score(step.index, evaluation)
            self.journal.append(TestScored(index=step.index, evaluation=evaluation))
        evaluator.clear()

    def _require_baseline_score(self, index: int, evaluation: Evaluation) -> None:
        """Stop the run if the baseline has no score: steps could not be compared with it."""
        if index or evaluation.is_ok:
            return
        task = self.prepared.task.name
        problem = f"The baseline of '{task}' has no score on this machine: {evaluation.outcome} ({evaluation.reason})."
        self.journal.append(Trouble(index=index, reason=problem))
        raise InfraTrouble(
            problem,
            hint=f"The task is broken or this machine is too slow; the logs are in {self.folder.step(index)}.",
        )

    def _with_retries(self, index: int, attempt: Callable[[], Evaluation]) -> Evaluation:
        """Retry after infrastructure failures; a candidate's failure is an ordinary result."""
        for number in range(1, MAX_ATTEMPTS):
            try:
                return attempt()
            except InfraTrouble as error:
                self.journal.append(Trouble(index=index, reason=error.message))
                self.sleep(_PAUSE_SECONDS * number)
        return attempt()
