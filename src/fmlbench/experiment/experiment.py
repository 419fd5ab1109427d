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
from fmlbench.experiment.batches import choose_company
from fmlbench.experiment.consistency import find_dependence
from fmlbench.experiment.exam import Seat, Sitting, in_order, read_questions, take_seat
from fmlbench.experiment.experiment_dir import Bench
from fmlbench.experiment.grader import Grade, Grading
from fmlbench.experiment.native_output import read_self_report
from fmlbench.experiment.pipeline import Turns, can_start_ahead
from fmlbench.experiment.prepared_task import PreparedTask
from fmlbench.experiment.samples import Draw
from fmlbench.experiment.stages import Stages
from fmlbench.sandbox.protocol import Ending, Execution
from fmlbench.sandbox.storage import weigh
from fmlbench.workspace.files import remove_folder
from fmlbench.workspace.information import runtime_files
from fmlbench.workspace.trees import editable_files, lay_out

_OUTCOMES = {
    Ending.CRASHED: Outcome.CRASHED,
    Ending.TIMEOUT: Outcome.TIMEOUT,
    Ending.OUT_OF_MEMORY: Outcome.OUT_OF_MEMORY,
    Ending.TOO_MUCH_DISK: Outcome.CRASHED,
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
    draw: Draw
    folder: Path
    label: str
    """The beginning of all job names: run, step and draw."""
    stop: threading.Event = field(default_factory=threading.Event)
    """Set by another thread to end what is running."""
    _seats: dict[ExamName, list[Seat]] = field(default_factory=dict[ExamName, list[Seat]], init=False)
    """Those of exams that are about to be sat, in the order of the sittings."""

    def train(self, then: ExamName) -> Evaluation:
        """Lay out a fresh tree and run the training stages; ok means that the exam which is to follow can be sat."""
        self.close()
        remove_folder(self.folder)
        self.folder.mkdir(parents=True)
        is_sealed = self.prepared.sandbox.rung.is_sealed
        codebase, editable = self.prepared.codebase, self.prepared.task.editable
        # Comments and docstrings stay out of the tree: candidates can read their own files, and these are not counted.
        files = runtime_files(self.files, editable_files(codebase, editable))
        lay_out(codebase, files, editable, self._bench.tree, shared=is_sealed)
        self._bench.carry.mkdir()
        trainings = self.prepared.track.training
        jobs = [self._stages.training(training) for training in trainings]
        jobs.append(self._take_seats(then)[0].job)
        executions: list[Execution] = []
        for training, job, following in zip(trainings, jobs, jobs[1:], strict=False):
            self._turns.line_up(following)
            executions.append(self._turns.run(job))
            problem = self._problem_of(executions[-1], training.name) or self._oversized_carry()
            if problem:
                self.close()
                return _with_usage(problem, executions)
        self._bench.trained.touch()
        done = Evaluation(
            outcome=Outcome.OK,
            log_tail=executions[-1].log_tail,
            self_reported=read_self_report(self.native_files()),
        )
        return _with_usage(done, executions)

    def examine(self, exam: ExamName) -> Examined:
        """Sit an exam twice, compare, and have the answers graded."""
        grading = Grading(self.prepared, self.draw.labels(exam), exam, self.label, self._bench.grading(exam))
        sittings = self._sit(exam, grading)
        executions = [sitting.execution for sitting in sittings]
        problem = self._problem_of_sittings(sittings)
        if problem:
            self.close()
            return Examined(_with_usage(problem, executions))
        answers = sittings[0].answers
        assert answers is not None  # noqa: S101 - a sitting without answers is a problem
        graded = grading.grade(answers, self._turns.run)
        self.close()
        if graded.refused:
            refused = Evaluation(outcome=Outcome.INVALID, reason=graded.refused)
            return Examined(_with_usage(refused, executions), graded, answers)
        evaluation = Evaluation(outcome=Outcome.OK, score=graded.score, metrics=graded.metrics)
        return Examined(_with_usage(evaluation, executions), graded, answers)

    def close(self) -> None:
        """End what waits for its turn."""
        self._turns.close()
        while self._seats:
            for seat in self._seats.popitem()[1]:
                seat.leave()

    @property
    def is_trained(self) -> bool:
        """Whether training came to its end; a model that a kill left half-made is none."""
        return self._bench.trained.exists()

    def logs(self, exam: ExamName) -> dict[str, Path]:
        """The logs of an exam's sittings, and of training with those of the first exam, by name.

        No glob finds them: what it found might be a candidate's.
        """
        folders = {sitting: self._bench.sitting(exam, sitting) for sitting in ("first", "again")}
        if exam is ExamName.VALIDATION:
            trainings = self.prepared.track.training
            folders = {training.name: self._bench.training(training) for training in trainings} | folders
        return {name: log for name, folder in folders.items() if (log := folder / "log.txt").is_file()}

    def graded_answers(self, exam: ExamName) -> Path:
        """The answers that an exam was graded on, in the order of the questions."""
        return self._bench.grading(exam) / "answers.npy"

    def native_files(self) -> Path:
        """What the last training stage left beside its model."""
        return self._bench.training(self.prepared.track.training[-1]) / "out"

    @cached_property
    def _bench(self) -> Bench:
        return Bench(self.folder, self.label, self.prepared.secret)

    @cached_property
    def _stages(self) -> Stages:
        return Stages(self.prepared, self.draw, self._bench, self.stop)

    @cached_property
    def _turns(self) -> Turns:
        return Turns(self.prepared.sandbox, ahead=can_start_ahead(self.prepared.sandbox, self.prepared.track))

    def _sit(self, exam: ExamName, grading: Grading) -> list[Sitting]:
        """Hold the second sitting, then the one that counts; not at once, or they could talk to each other.

        What the smaller company had to say would only mislead the larger one, so it goes first.
        """
        seats = self._take_seats(exam)
        following = [*(seat.job for seat in seats[1:]), grading.job]
        sittings: list[Sitting] = []
        for seat, job in zip(seats, following, strict=True):
            self._turns.line_up(job)
            sittings.insert(0, in_order(seat.sit(self._turns.run)))
            if sittings[0].answers is None:
                break
        return sittings

    def _take_seats(self, exam: ExamName) -> list[Seat]:
        """The seats of an exam in the order of the sittings; a second call finds those that were taken."""
        if exam in self._seats:
            return self._seats[exam]
        questions = self.draw.questions(exam)
        answers = self.prepared.track.exam.answers
        dice = np.random.default_rng(self.prepared.secret.seed("order", self.label, exam))
        arrays = read_questions(questions)
        orders = {"first": dice.permutation(len(next(iter(arrays.values()))))}
        if answers.kind is not AnswerKind.JOINT:
            orders["again"] = choose_company(arrays, answers.asked_again, dice)
        remove_folder(self._bench.exam(exam))
        self._seats[exam] = [
            take_seat(
                questions,
                orders[name],
                answers,
                self._bench.sitting(exam, name),
                partial(self._stages.exam, exam, name),
            )
            for name in reversed(orders)
        ]
        return self._seats[exam]

    def _problem_of(self, execution: Execution, stage: str) -> Evaluation | None:
        if execution.ending is Ending.OK:
            return None
        if execution.ending is Ending.INFRA:
            raise InfraTrouble(
                f"The machine failed in stage '{stage}': {execution.reason}.",
                hint="fmlbench doctor says what works here; then resume the run.",
            )
        return Evaluation(
            outcome=_OUTCOMES[execution.ending],
            reason=f"{stage}: {execution.reason}",
            log_tail=execution.log_tail,
        )

    def _problem_of_sittings(self, sittings: Sequence[Sitting]) -> Evaluation | None:
        for sitting in sittings:
            if problem := self._problem_of(sitting.execution, "exam"):
                return problem
            if sitting.problem:
                seen = (f"handed in a trap: {sitting.problem}",) if sitting.is_hostile else ()
                return Evaluation(outcome=Outcome.INVALID, reason=sitting.problem, violations=seen)
        if len(sittings) == 1:
            return None
        first, again = sittings
        assert first.answers is not None  # noqa: S101 - a sitting without answers was a problem above
        assert again.answers is not None  # noqa: S101
        dependence = find_dependence(first.answers[again.order], again.answers, self.prepared.track.exam.answers)
        if not dependence:
            return None
        return Evaluation(
            outcome=Outcome.INVALID,
            reason=dependence,
            violations=(f"answers depend on other questions: {dependence}",),
        )

    def _oversized_carry(self) -> Evaluation | None:
        size = weigh(self._bench.carry)
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
