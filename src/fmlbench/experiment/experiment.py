"""Run a candidate on one draw: training, exam, grading, each in a sandbox of its own."""

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
from fmlbench.experiment.batches import resample_batch
from fmlbench.experiment.consistency import find_batch_dependence
from fmlbench.experiment.exam import ExamPass, PreparedPass, in_question_order, prepare_pass, read_questions
from fmlbench.experiment.experiment_dir import ExperimentDir
from fmlbench.experiment.grader import Grade, GraderRun
from fmlbench.experiment.native_output import read_self_report
from fmlbench.experiment.pipeline import StagePipeline, can_start_ahead
from fmlbench.experiment.prepared_task import PreparedTask
from fmlbench.experiment.samples import Sample
from fmlbench.experiment.stages import Stages
from fmlbench.sandbox.protocol import Execution, ExitKind
from fmlbench.sandbox.storage import weigh
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
    """An exam's evaluation, with what others build on: the grade and the answers behind it."""

    evaluation: Evaluation
    grade: Grade | None = None
    answers: Array | None = None


@dataclass(frozen=True)
class Experiment:
    """One candidate on one draw; ``close`` it when no more stages follow."""

    prepared: PreparedTask
    files: Mapping[str, str]
    draw: Sample
    folder: Path
    label: str
    """The beginning of all job names: run, step and draw."""
    stop: threading.Event = field(default_factory=threading.Event)
    """Set by another thread to end what is running."""
    _prepared_passes: dict[ExamName, list[PreparedPass]] = field(
        default_factory=dict[ExamName, list[PreparedPass]], init=False
    )
    """Those of exams that are about to be sat, in the order of the sittings."""

    def train(self, then: ExamName) -> Evaluation:
        """Lay out a fresh tree and run the training stages; ok means that the exam which is to follow can be sat."""
        self.close()
        remove_folder(self.folder)
        self.folder.mkdir(parents=True)
        is_sealed = self.prepared.sandbox.isolation.is_sealed
        codebase, editable = self.prepared.codebase, self.prepared.task.editable
        # Comments and docstrings stay out of the tree: candidates can read their own files, and these are not counted.
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
        """Sit an exam twice, compare, and have the answers graded."""
        grading = GraderRun(self.prepared, self.draw.labels(exam), exam, self.label, self._dir.grading(exam))
        passes = self._run_passes(exam, grading)
        executions = [exam_pass.execution for exam_pass in passes]
        problem = self._problem_of_passes(passes)
        if problem:
            self.close()
            return Examined(_with_usage(problem, executions))
        answers = passes[0].answers
        assert answers is not None  # noqa: S101 - a sitting without answers is a problem
        graded = grading.grade(answers, self._pipeline.run)
        self.close()
        if graded.refused:
            refused = Evaluation(outcome=Outcome.INVALID, reason=graded.refused)
            return Examined(_with_usage(refused, executions), graded, answers)
        evaluation = Evaluation(outcome=Outcome.OK, score=graded.score, metrics=graded.metrics)
        return Examined(_with_usage(evaluation, executions), graded, answers)

    def close(self) -> None:
        """End what waits for its turn."""
        self._pipeline.close()
        while self._prepared_passes:
            for prepared_pass in self._prepared_passes.popitem()[1]:
                prepared_pass.close()

    @property
    def is_trained(self) -> bool:
        """Whether training came to its end; a model that a kill left half-made is none."""
        return self._dir.trained.exists()

    def logs(self, exam: ExamName) -> dict[str, Path]:
        """The logs of an exam's sittings, and of training with those of the first exam, by name.

        No glob finds them: what it found might be a candidate's.
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
        """What the last training stage left beside its model."""
        return self._dir.training(self.prepared.track.training[-1]) / "out"

    @cached_property
    def _dir(self) -> ExperimentDir:
        return ExperimentDir(self.folder, self.label, self.prepared.secret)

    @cached_property
    def _stages(self) -> Stages:
        return Stages(self.prepared, self.draw, self._dir, self.stop)

    @cached_property
    def _pipeline(self) -> StagePipeline:
        return StagePipeline(self.prepared.sandbox, ahead=can_start_ahead(self.prepared.sandbox, self.prepared.track))

    def _run_passes(self, exam: ExamName, grading: GraderRun) -> list[ExamPass]:
        """Hold the second sitting, then the one that counts; not at once, or they could talk to each other.

        What the smaller company had to say would only mislead the larger one, so it goes first.
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
        """The seats of an exam in the order of the sittings; a second call finds those that were taken."""
        if exam in self._prepared_passes:
            return self._prepared_passes[exam]
        questions = self.draw.questions(exam)
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
                hint="fmlbench doctor says what works here; then resume the run.",
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
                seen = (f"handed in a trap: {exam_pass.problem}",) if exam_pass.is_hostile else ()
                return Evaluation(outcome=Outcome.INVALID, reason=exam_pass.problem, violations=seen)
        if len(passes) == 1:
            return None
        first, again = passes
        assert first.answers is not None  # noqa: S101 - a sitting without answers was a problem above
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
        size = weigh(self._dir.carry)
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
