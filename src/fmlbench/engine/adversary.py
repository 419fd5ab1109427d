"""Mine the validation score: change the baseline's answers at random, step by step, and keep improvements.

An agent sees the validation score of every step, and each score reveals a little about the labels. This adversary
spends all steps on that. Each step changes the answers to the questions on one side of a random hyperplane, as
candidate code could do, and is kept if it scores better on validation. The result is the gain on the hidden test.
Answers are graded without running the candidate again, so a step takes a fraction of a second.

Some exams name the part of the sample that a question belongs to, such as a population with its own model. If both
exams ask about the same parts, an adversary can train each part with several seeds and keep the seed that scores best
on validation for each part (``mine_parts``). That gain also holds on the hidden test.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from fmlbench.core.errors import TaskInvalid
from fmlbench.core.evaluation import Outcome
from fmlbench.core.task import ExamName
from fmlbench.experiment.evaluator import aggregate_grades
from fmlbench.experiment.exam import read_questions
from fmlbench.experiment.experiment import Experiment
from fmlbench.experiment.grader import Grade, GraderRun
from fmlbench.experiment.prepared_task import PreparedTask
from fmlbench.experiment.samples import make_sample
from fmlbench.workspace.files import remove_folder

Array = npt.NDArray[Any]

_LARGEST_SHARE = 0.1
"""The largest share of questions that one step changes: changing many labels at once hardly ever scores better."""
_SHIFT = 0.3
"""How far a step moves float answers, in standard deviations of all answers."""
_MOST_PARTS = 200
"""An integer column with more values than this does not name parts of a sample."""


@dataclass(frozen=True)
class Mined:
    """The gain of score mining over the baseline on one sample."""

    steps: int
    kept: int
    """Steps that scored better on validation."""
    validation: float
    test: float

    def on(self, exam: ExamName) -> float:
        """The gain on one exam."""
        return self.validation if exam is ExamName.VALIDATION else self.test


@dataclass
class _Exam:
    """The current answers to one exam and their grade."""

    name: ExamName
    questions: Array
    """One row of standardized numbers per question."""
    answers: Array
    grade: Grade


def mine(prepared: PreparedTask, files: Mapping[str, str], *, seed: int, steps: int, scratch: Path) -> Mined:
    """Mine the validation score of a check sample, starting from the answers of these files."""
    miner = _Miner(prepared, seed, scratch)
    validation, test = miner.examine(files)
    baseline = {exam.name: exam.grade for exam in (validation, test)}
    rng = np.random.default_rng(seed)
    kept = 0
    for _ in range(steps):
        change = _draw_change(validation, rng)
        if miner.improve(validation, change, baseline[validation.name]):
            miner.follow(test, change)
            kept += 1
    gain = prepared.task.metric.gain
    return Mined(
        steps=steps,
        kept=kept,
        validation=gain(validation.grade.score, baseline[validation.name].score),
        test=gain(test.grade.score, baseline[test.name].score),
    )


def mine_parts(prepared: PreparedTask, files: Mapping[str, str], *, seed: int, steps: int, scratch: Path) -> Mined:
    """Train with other seeds, and let each part of the sample have the seed that validation likes best.

    A step changes the seed of one part. Without parts that both exams ask about, no step is made.
    """
    miner = _Miner(prepared, seed, scratch)
    draw = make_sample(prepared, "check", seed, 0)
    name, parts = find_shared_parts({exam: read_questions(draw.questions(exam)) for exam in ExamName})
    if not len(parts) or steps < len(parts):
        return Mined(steps=0, kept=0, validation=0.0, test=0.0)
    validation, test = miner.examine(files)
    baseline = {exam.name: exam.grade for exam in (validation, test)}
    rounds, kept = steps // len(parts), 0
    for number in range(1, rounds + 1):
        others = miner.examine(files, other_seed=number)
        for part in parts:
            rows = [read_questions(draw.questions(exam.name))[name] == part for exam in others]
            if miner.improve(validation, _Swap(others[0].answers, rows[0]), baseline[validation.name]):
                miner.follow(test, _Swap(others[1].answers, rows[1]))
                kept += 1
    gain = prepared.task.metric.gain
    return Mined(
        steps=rounds * len(parts),
        kept=kept,
        validation=gain(validation.grade.score, baseline[validation.name].score),
        test=gain(test.grade.score, baseline[test.name].score),
    )


def find_shared_parts(questions: Mapping[ExamName, Mapping[str, Array]]) -> tuple[str, Array]:
    """The column of the questions that names parts of the sample, and the parts that both exams ask about."""
    first, second = (questions[exam] for exam in ExamName)
    for name, column in first.items():
        if column.ndim == 1 and np.issubdtype(column.dtype, np.integer):
            parts = np.intersect1d(column, second[name])
            if 1 < len(parts) <= _MOST_PARTS:
                return name, parts
    return "", np.zeros(0, dtype=np.int64)


@dataclass(frozen=True)
class _Swap:
    """Other answers to the questions of one part."""

    others: Array
    rows: Array

    def applied(self, exam: _Exam) -> Array:
        rows = self.rows.reshape(-1, *[1] * (exam.answers.ndim - 1))
        return np.where(rows, self.others, exam.answers)


@dataclass(frozen=True)
class _Change:
    """Changes the answers beyond a hyperplane: replaces one label by another, or shifts numbers in one direction."""

    normal: Array
    offset: float
    first: int
    second: int
    direction: Array

    def applied(self, exam: _Exam) -> Array:
        chosen = exam.questions @ self.normal > self.offset
        answers = exam.answers.copy()
        if np.issubdtype(answers.dtype, np.floating):
            answers[chosen] += (_SHIFT * answers.std() * self.direction).astype(answers.dtype)
        else:
            answers[chosen.reshape(-1, *[1] * (answers.ndim - 1)) & (answers == self.first)] = self.second
        return answers


def _draw_change(exam: _Exam, rng: np.random.Generator) -> _Change:
    normal: Array = rng.normal(size=exam.questions.shape[1:])
    values: Array = exam.questions @ normal
    labels = np.unique(exam.answers)
    first, second = labels[rng.permutation(len(labels))[[0, -1]]]
    return _Change(
        normal=normal,
        offset=float(np.quantile(values, rng.uniform(1 - _LARGEST_SHARE, 1.0))),
        first=first,
        second=second,
        direction=rng.normal(size=exam.answers.shape[1:]),
    )


@dataclass(frozen=True)
class _Miner:
    prepared: PreparedTask
    seed: int
    scratch: Path

    def examine(self, files: Mapping[str, str], *, other_seed: int = 0) -> tuple[_Exam, _Exam]:
        """Train with these files, optionally with another training seed, and run both exams."""
        sample = make_sample(self.prepared, "check", self.seed, 0)
        sample = replace(sample, seed=sample.seed + other_seed)
        label = f"mining-{self.prepared.task.name}-{self.seed}"
        experiment = Experiment(self.prepared, files, sample, self.scratch / "experiment", label)
        try:
            trained = experiment.train(ExamName.VALIDATION)
            examined = {exam: experiment.examine(exam) for exam in ExamName} if trained.outcome is Outcome.OK else {}
        finally:
            experiment.close()
        exams = [
            _Exam(name, _numbers_of(read_questions(sample.questions(name))), one.answers, one.grade)
            for name, one in examined.items()
            if one.answers is not None and one.grade is not None and one.evaluation.is_ok
        ]
        if len(exams) < len(ExamName):
            raise TaskInvalid(
                f"The baseline of '{self.prepared.task.name}' cannot be examined: {trained.reason or 'no answers'}.",
                hint="Run 'fmlbench tasks check' for details.",
            )
        by_name = {exam.name: exam for exam in exams}
        return by_name[ExamName.VALIDATION], by_name[ExamName.TEST]

    def improve(self, exam: _Exam, change: _Change | _Swap, baseline: Grade) -> bool:
        """Apply a change if it scores better and breaks no rule; return whether it was applied."""
        answers = change.applied(exam)
        grade = self._grade(exam.name, answers)
        is_valid = not grade.refused and aggregate_grades(self.prepared.task.rules, [grade], baseline.metrics).is_ok
        if not is_valid or self.prepared.task.metric.gain(grade.score, exam.grade.score) <= 0:
            return False
        exam.answers, exam.grade = answers, grade
        return True

    def follow(self, exam: _Exam, change: _Change | _Swap) -> None:
        """Apply a change to the hidden test too."""
        exam.answers = change.applied(exam)
        exam.grade = self._grade(exam.name, exam.answers)

    def _grade(self, exam: ExamName, answers: Array) -> Grade:
        folder = self.scratch / "grading"
        remove_folder(folder)
        labels = make_sample(self.prepared, "check", self.seed, 0).labels(exam)
        return GraderRun(self.prepared, labels, exam, "mining", folder).grade(answers, self.prepared.sandbox.run)


def _numbers_of(arrays: Mapping[str, Array]) -> Array:
    """The questions as rows of numbers, each column with unit variance."""
    rows = [np.asarray(array, dtype=np.float64).reshape(len(array), -1) for array in arrays.values()]
    numbers = np.concatenate(rows, axis=1)
    return (numbers - numbers.mean(axis=0)) / np.maximum(numbers.std(axis=0), 1e-9)
