"""Run a candidate on one draw: training, exam, grading, each in a sandbox of its own.

BENCH/
  tree/              pinned upstream + the task's files + the candidate's editable files
  carry/             the only thing that passes from stage to stage
    NAME/            what a stage left that trains alone: all of carry/ that such a stage sees
  trained            there once all training stages have ended well
  train-NAME/        a training stage: its facts, its log, what it left in out/
  exam-NUMBER/       one exam; which one, only the machine's secret tells
    NUMBER/          a sitting: the one that is graded, or a part of the questions once more in other company
    grade/           the grader's side, where the labels are
"""

import json
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from importlib import resources
from pathlib import Path

import numpy as np

from fmlbench.core.errors import InfraTrouble
from fmlbench.core.evaluation import Evaluation, Outcome
from fmlbench.core.task import AnswerKind, ExamName, Limits, Training
from fmlbench.execution.agreement import find_dependence
from fmlbench.execution.collecting import Array
from fmlbench.execution.company import choose_company
from fmlbench.execution.draws import Draw
from fmlbench.execution.grading import Grade, grade
from fmlbench.execution.native import read_self_report
from fmlbench.execution.prepared import PreparedTask
from fmlbench.execution.sandbox import Ending, Execution, Job, Mount
from fmlbench.execution.sittings import Sitting, in_order, read_questions, sit
from fmlbench.execution.storage import weigh
from fmlbench.workspace.filing import remove_folder
from fmlbench.workspace.trees import lay_out

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
    """One candidate on one draw."""

    prepared: PreparedTask
    files: Mapping[str, str]
    draw: Draw
    bench: Path
    label: str
    """The beginning of all job names: run, step and draw."""
    stop: threading.Event = field(default_factory=threading.Event)
    """Set by another thread to end what is running."""

    def train(self) -> Evaluation:
        """Lay out a fresh tree and run the training stages; ok means that the exam can be sat."""
        remove_folder(self.bench)
        self.bench.mkdir(parents=True)
        is_sealed = self.prepared.sandbox.rung.is_sealed
        lay_out(self.prepared.codebase, self.files, self.prepared.task.editable, self._tree, shared=is_sealed)
        self._carry.mkdir()
        executions: list[Execution] = []
        for training in self.prepared.track.training:
            executions.append(self._run_training(training))
            problem = self._problem_of(executions[-1], training.name) or self._oversized_carry()
            if problem:
                return _with_usage(problem, executions)
        self._trained.touch()
        done = Evaluation(
            outcome=Outcome.OK,
            log_tail=executions[-1].log_tail,
            self_reported=read_self_report(self._training_folder(self.prepared.track.training[-1]) / "out"),
        )
        return _with_usage(done, executions)

    def examine(self, exam: ExamName) -> Examined:
        """Sit an exam twice, compare, and have the answers graded."""
        sittings = self._sit(exam)
        executions = [sitting.execution for sitting in sittings]
        problem = self._problem_of_sittings(sittings)
        if problem:
            return Examined(_with_usage(problem, executions))
        answers = sittings[0].answers
        assert answers is not None  # noqa: S101 - a sitting without answers is a problem
        graded, _ = grade(self.prepared, answers, self.draw.labels(exam), exam, self.label, self._grading_folder(exam))
        if graded.refused:
            refused = Evaluation(outcome=Outcome.INVALID, reason=graded.refused)
            return Examined(_with_usage(refused, executions), graded, answers)
        evaluation = Evaluation(outcome=Outcome.OK, score=graded.score, metrics=graded.metrics)
        return Examined(_with_usage(evaluation, executions), graded, answers)

    @property
    def is_trained(self) -> bool:
        """Whether training came to its end; a model that a kill left half-made is none."""
        return self._trained.exists()

    @property
    def _trained(self) -> Path:
        return self.bench / "trained"

    @property
    def _tree(self) -> Path:
        return self.bench / "tree"

    @property
    def _carry(self) -> Path:
        return self.bench / "carry"

    def _training_folder(self, training: Training) -> Path:
        return self.bench / f"train-{training.name}"

    def exam_folder(self, exam: ExamName) -> Path:
        """Where an exam is sat; candidates can read where their mounts come from, so the name does not say which."""
        return self.bench / f"exam-{self.prepared.secret.number('exam', self.label, exam)}"

    def _sitting_folder(self, exam: ExamName, sitting: str) -> Path:
        return self.exam_folder(exam) / str(self.prepared.secret.number("sitting", self.label, exam, sitting))

    def _grading_folder(self, exam: ExamName) -> Path:
        return self.exam_folder(exam) / "grade"

    def logs(self, exam: ExamName) -> dict[str, Path]:
        """The logs of an exam's sittings, and of training with those of the first exam, by name.

        No glob finds them: what it found might be a candidate's.
        """
        folders = {sitting: self._sitting_folder(exam, sitting) for sitting in ("first", "again")}
        if exam is ExamName.VALIDATION:
            trainings = self.prepared.track.training
            folders = {training.name: self._training_folder(training) for training in trainings} | folders
        return {name: log for name, folder in folders.items() if (log := folder / "log.txt").is_file()}

    def graded_answers(self, exam: ExamName) -> Path:
        """The answers that an exam was graded on, in the order of the questions."""
        return self._grading_folder(exam) / "answers.npy"

    def native_files(self) -> Path:
        """What the last training stage left beside its model."""
        return self._training_folder(self.prepared.track.training[-1]) / "out"

    def _run_training(self, training: Training) -> Execution:
        folder = self._training_folder(training)
        out = folder / "out"
        out.mkdir(parents=True)
        carry = self._carry / training.name if training.alone else self._carry
        carry.mkdir(exist_ok=True)
        mounts = (
            Mount(carry, "carry", writable=True),
            Mount(out, "out", writable=True),
            *(Mount(self.draw.visible(part), f"data/{part}") for part in training.data),
        )
        return self.prepared.sandbox.run(self._job(training.name, training.limits, folder, mounts))

    def _sit(self, exam: ExamName) -> list[Sitting]:
        """Hold the second sitting, then the one that counts; not at once, or they could talk to each other.

        What the smaller company had to say would only mislead the larger one, so it goes first.
        """
        questions = self.draw.questions(exam)
        answers = self.prepared.track.exam.answers
        dice = np.random.default_rng(self.prepared.secret.seed("order", self.label, exam))
        arrays = read_questions(questions)
        orders = {"first": dice.permutation(len(next(iter(arrays.values()))))}
        if answers.kind is not AnswerKind.JOINT:
            orders["again"] = choose_company(arrays, answers.asked_again, dice)
        remove_folder(self.exam_folder(exam))
        sittings: list[Sitting] = []
        for name in reversed(orders):
            folder = self._sitting_folder(exam, name)
            job = partial(self._exam_job, f"{exam}-{name}", folder)
            sittings.insert(0, in_order(sit(self.prepared.sandbox, questions, orders[name], answers, folder, job)))
            if sittings[0].answers is None:
                break
        return sittings

    def _exam_job(self, name: str, folder: Path, mounts: Sequence[Mount], pipe: tuple[int, int] | None) -> Job:
        mounts = (Mount(self._carry, "carry"), *mounts)
        # The stage is called "exam" whichever exam it is: candidates are not told.
        return self._job("exam", self.prepared.track.exam.limits, folder, mounts, job=name, pipe=pipe)

    def _job(
        self,
        stage: str,
        limits: Limits,
        folder: Path,
        mounts: Sequence[Mount],
        *,
        job: str = "",
        pipe: tuple[int, int] | None = None,
    ) -> Job:
        track = self.prepared.track
        facts = {
            "stage": stage,
            "seed": self.draw.seed,
            "threads": track.threads,
            "settings": track.settings,
            "pipe": pipe,
        }
        (folder / "stage.json").write_text(json.dumps(facts), "utf-8")
        return Job(
            name=f"{self.label}-{job or stage}",
            python=self.prepared.python,
            script="task/driver.py",
            mounts=(
                Mount(self._tree, "repo"),
                Mount(self.prepared.folder.experiment, "task"),
                Mount(_kit(), "kit"),
                Mount(folder / "stage.json", "stage.json"),
                *mounts,
            ),
            limits=limits,
            log=folder / "log.txt",
            threads=track.threads,
            import_path=("repo", "kit"),
            devices=track.devices,
            pass_fds=pipe or (),
            stop=self.stop,
        )

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
        size = weigh(self._carry)
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


def _kit() -> Path:
    return Path(str(resources.files("fmlbench.execution") / "kit"))
