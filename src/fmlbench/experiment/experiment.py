"""Run a candidate on one data sample: training, exam and grading, each in a separate sandbox."""

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path

import numpy as np

from fmlbench.core.errors import InfraTrouble
from fmlbench.core.evaluation import Evaluation, Outcome
from fmlbench.core.task import AnswerKind, ExamName
from fmlbench.experiment.answers import Array
from fmlbench.experiment.consistency import find_batch_dependence, resample_batch
from fmlbench.experiment.exam import ExamPass, PreparedPass, in_question_order, prepare_pass, read_questions
from fmlbench.experiment.grader import Grade, GraderRun
from fmlbench.experiment.native_output import read_self_report
from fmlbench.experiment.pipeline import StagePipeline, can_start_ahead
from fmlbench.experiment.prepared_task import PreparedTask
from fmlbench.experiment.samples import Sample
from fmlbench.experiment.stages import ExperimentDir, Stages
from fmlbench.sandbox.protocol import Execution, ExitKind
from fmlbench.sandbox.storage import stored_bytes
from fmlbench.workspace.files import remove_folder
from fmlbench.workspace.information import runtime_files
from fmlbench.workspace.trees import editable_files, lay_out

_OUTCOMES = {
    ExitKind.CRASHED: Outcome.CRASHED,
    ExitKind.TIMEOUT: Outcome.TIMEOUT,
    ExitKind.OUT_OF_MEMORY: Outcome.OUT_OF_MEMORY,
    ExitKind.TOO_MUCH_DISK: Outcome.CRASHED,
}


@dataclass(frozen=True)
class Examined:
    """An exam's evaluation, with the grade and the answers behind it."""

    evaluation: Evaluation
    grade: Grade | None = None
    answers: Array | None = None


@dataclass(frozen=True)
class Experiment:
    """One candidate on one sample; ``close`` it when no more stages follow."""

    prepared: PreparedTask
    files: Mapping[str, str]
    sample: Sample
    folder: Path
    label: str
    """The prefix of all job names: run, step and sample."""
    stop: threading.Event = field(default_factory=threading.Event)
    """Another thread sets it to stop the running stage."""
    _prepared_passes: dict[ExamName, list[PreparedPass]] = field(
        default_factory=dict[ExamName, list[PreparedPass]], init=False
    )
    """Prepared passes of the next exams, in execution order."""

    def train(self, then: ExamName) -> Evaluation:
        """Create a new tree and run the training stages; if the outcome is ok, exam ``then`` can run next."""
        self.close()
        remove_folder(self.folder)
        self.folder.mkdir(parents=True)
        is_sealed = self.prepared.sandbox.isolation.is_sealed
        codebase, editable = self.prepared.codebase, self.prepared.task.editable
        # Candidates can read their own files. Comments and docstrings do not count as information, so they are removed.
        files = runtime_files(self.files, editable_files(codebase, editable))
        lay_out(codebase, files, editable, self._dir.tree, shared=is_sealed)
        self._dir.carry.mkdir()
        trainings = self.prepared.track.training
        jobs = [self._stages.training(training) for training in trainings]
        jobs.append(self._prepare_passes(then)[0].job)
        executions: list[Execution] = []
        for training, job, following in zip(trainings, jobs, jobs[1:], strict=False):
            self._pipeline.prefetch(following)
            executions.append(self._pipeline.run(job))
            problem = self._problem_of(executions[-1], training.name) or self._oversized_carry()
            if problem:
                self.close()
                return _with_usage(problem, executions)
        self._dir.trained.touch()
        done = Evaluation(
            outcome=Outcome.OK,
            log_tail=executions[-1].log_tail,
            self_reported=read_self_report(self.native_files()),
        )
        return _with_usage(done, executions)

    def examine(self, exam: ExamName) -> Examined:
        """Run an exam in two passes, check consistency, and grade the answers."""
        grading = GraderRun(self.prepared, self.sample.labels(exam), exam, self.label, self._dir.grading(exam))
        passes = self._run_passes(exam, grading)
        executions = [exam_pass.execution for exam_pass in passes]
        problem = self._problem_of_passes(passes)
        if problem:
            self.close()
            return Examined(_with_usage(problem, executions))
        answers = passes[0].answers
        assert answers is not None  # noqa: S101 - a pass without answers has a problem
        graded = grading.grade(answers, self._pipeline.run)
        self.close()
        if graded.refused:
            refused = Evaluation(outcome=Outcome.INVALID, reason=graded.refused)
            return Examined(_with_usage(refused, executions), graded, answers)
        evaluation = Evaluation(outcome=Outcome.OK, score=graded.score, metrics=graded.metrics)
        return Examined(_with_usage(evaluation, executions), graded, answers)

    def close(self) -> None:
        """End the stages that were started ahead and have not run."""
        self._pipeline.close()
        while self._prepared_passes:
            for prepared_pass in self._prepared_passes.popitem()[1]:
                prepared_pass.close()

    @property
    def is_trained(self) -> bool:
        """Whether training completed; a model from an interrupted training does not count."""
        return self._dir.trained.exists()

    def logs(self, exam: ExamName) -> dict[str, Path]:
        """The logs of an exam's passes by name; those of validation include the training logs.

        The paths are constructed, not globbed: a glob could match files that a candidate wrote.
        """
        folders = {exam_pass: self._dir.exam_pass(exam, exam_pass) for exam_pass in ("first", "again")}
        if exam is ExamName.VALIDATION:
            trainings = self.prepared.track.training
            folders = {training.name: self._dir.training(training) for training in trainings} | folders
        return {name: log for name, folder in folders.items() if (log := folder / "log.txt").is_file()}

    def graded_answers(self, exam: ExamName) -> Path:
        """The answers that an exam was graded on, in the order of the questions."""
        return self._dir.grading(exam) / "answers.npy"

    def native_files(self) -> Path:
        """The output folder of the last training stage."""
        return self._dir.training(self.prepared.track.training[-1]) / "out"

    @cached_property
    def _dir(self) -> ExperimentDir:
        return ExperimentDir(self.folder, self.label, self.prepared.secret)

    @cached_property
    def _stages(self) -> Stages:
        return Stages(self.prepared, self.sample, self._dir, self.stop)

    @cached_property
    def _pipeline(self) -> StagePipeline:
        return StagePipeline(self.prepared.sandbox, ahead=can_start_ahead(self.prepared.sandbox, self.prepared.track))

    def _run_passes(self, exam: ExamName, grading: GraderRun) -> list[ExamPass]:
        """Run the small batch of repeated questions, then the full batch that is graded.

        The passes never run at the same time, because two running processes could exchange information. The small
        batch runs first: anything it could leak would hurt the full batch, not help it.
        """
        prepared_passes = self._prepare_passes(exam)
        following = [*(prepared_pass.job for prepared_pass in prepared_passes[1:]), grading.job]
        passes: list[ExamPass] = []
        for prepared_pass, job in zip(prepared_passes, following, strict=True):
            self._pipeline.prefetch(job)
            passes.insert(0, in_question_order(prepared_pass.run_pass(self._pipeline.run)))
            if passes[0].answers is None:
                break
        return passes

    def _prepare_passes(self, exam: ExamName) -> list[PreparedPass]:
        """The passes of an exam in execution order; a second call returns the same passes."""
        if exam in self._prepared_passes:
            return self._prepared_passes[exam]
        questions = self.sample.questions(exam)
        answers = self.prepared.track.exam.answers
        rng = np.random.default_rng(self.prepared.secret.seed("order", self.label, exam))
        arrays = read_questions(questions)
        orders = {"first": rng.permutation(len(next(iter(arrays.values()))))}
        if answers.kind is not AnswerKind.JOINT:
            orders["again"] = resample_batch(arrays, answers.asked_again, rng)
        remove_folder(self._dir.exam(exam))
        self._prepared_passes[exam] = [
            prepare_pass(
                questions,
                orders[name],
                answers,
                self._dir.exam_pass(exam, name),
                partial(self._stages.exam, exam, name),
            )
            for name in reversed(orders)
        ]
        return self._prepared_passes[exam]

    def _problem_of(self, execution: Execution, stage: str) -> Evaluation | None:
        if execution.ending is ExitKind.OK:
            return None
        if execution.ending is ExitKind.INFRA:
            raise InfraTrouble(
                f"The machine failed in stage '{stage}': {execution.reason}.",
                hint="Check this machine with 'fmlbench doctor', then resume the run.",
            )
        return Evaluation(
            outcome=_OUTCOMES[execution.ending],
            reason=f"{stage}: {execution.reason}",
            log_tail=execution.log_tail,
        )

    def _problem_of_passes(self, passes: Sequence[ExamPass]) -> Evaluation | None:
        for exam_pass in passes:
            if problem := self._problem_of(exam_pass.execution, "exam"):
                return problem
            if exam_pass.problem:
                violations = (f"wrote a hostile file: {exam_pass.problem}",) if exam_pass.is_hostile else ()
                return Evaluation(outcome=Outcome.INVALID, reason=exam_pass.problem, violations=violations)
        if len(passes) == 1:
            return None
        first, again = passes
        assert first.answers is not None  # noqa: S101 - a pass without answers returned above
        assert again.answers is not None  # noqa: S101
        dependence = find_batch_dependence(first.answers[again.order], again.answers, self.prepared.track.exam.answers)
        if not dependence:
            return None
        return Evaluation(
            outcome=Outcome.INVALID,
            reason=dependence,
            violations=(f"answers depend on other questions: {dependence}",),
        )

    def _oversized_carry(self) -> Evaluation | None:
        size = stored_bytes(self._dir.carry)
        allowed = self.prepared.track.carry_mb
        if size <= allowed * 2**20:
            return None
        return Evaluation(
            outcome=Outcome.INVALID, reason=f"the carry folder has {size / 2**20:.2f} MB; {allowed:g} MB are allowed"
        )


def _with_usage(evaluation: Evaluation, executions: Sequence[Execution]) -> Evaluation:
    return evaluation.model_copy(
        update={
            "seconds": sum(execution.seconds for execution in executions),
            "cpu_seconds": sum(execution.cpu_seconds for execution in executions),
            "peak_memory_mb": max(execution.peak_memory_mb for execution in executions),
        }
    )
