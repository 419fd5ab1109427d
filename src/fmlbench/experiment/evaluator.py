"""Evaluate one candidate: one experiment per data sample, aggregated into one evaluation per exam.

A task's rules are bounds on side metrics, with a tolerance of two standard errors.
"""

import math
import shutil
import threading
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np

from fmlbench.core.evaluation import Evaluation, Outcome
from fmlbench.core.task import ExamName, Rule
from fmlbench.experiment.experiment import Examined, Experiment
from fmlbench.experiment.grader import Grade
from fmlbench.experiment.native_output import keep_native_files
from fmlbench.experiment.prepared_task import PreparedTask
from fmlbench.experiment.samples import make_sample
from fmlbench.workspace.files import remove_folder

MAX_KEPT_ANSWER_BYTES = 16 * 2**20
"""Answers up to this size are kept with the run, so that scores can be verified later."""
TOLERANCE = 2.0
"""Standard errors by which a bound may be missed, the same for validation and test."""

_CLAIM_SHARE = 0.25
"""A self-reported score that beats the graded one by more than this share of the metric's range is a violation."""


@dataclass(frozen=True)
class CandidateEvaluator:
    """A candidate's experiments on all samples for one purpose."""

    prepared: PreparedTask
    files: Mapping[str, str]
    folder: Path
    label: str
    purpose: tuple[str | int, ...]
    """Identifies the samples: ("step", seed) or ("retest", seed, number)."""
    stop: threading.Event = field(default_factory=threading.Event)
    """Another thread sets it to stop the running stage."""

    def validate(self, baseline: Mapping[str, float]) -> Evaluation:
        """Train and run the validation exam on every sample; ``baseline`` has the baseline's metrics on this exam."""
        with self._open_experiments() as experiments:
            trained = _train(experiments, ExamName.VALIDATION)
            if trained[-1].outcome is not Outcome.OK:
                return _add_usage(trained[-1], trained[:-1])
            examined = _examine(experiments, ExamName.VALIDATION)
        evaluation = self._combine(examined, baseline)
        evaluation = evaluation.model_copy(
            update={
                "log_tail": evaluation.log_tail or trained[-1].log_tail,
                "self_reported": trained[-1].self_reported,
                "violations": (*evaluation.violations, *self._false_claims(evaluation, trained[-1].self_reported)),
            }
        )
        return _add_usage(evaluation, trained)

    def take_test(self, baseline: Mapping[str, float]) -> Evaluation:
        """Run the hidden test with the trained model; trains first if the model is missing."""
        with self._open_experiments() as experiments:
            if not all(experiment.is_trained for experiment in experiments):
                trained = _train(experiments, ExamName.TEST)
                if trained[-1].outcome is not Outcome.OK:
                    return trained[-1]
            examined = _examine(experiments, ExamName.TEST)
        return self._combine(examined, baseline)

    def keep(self, exam: ExamName, kept: Path) -> None:
        """Copy logs, native files and answers out of the experiments' folder before it is cleared."""
        remove_folder(kept)
        for number, experiment in enumerate(self._experiments):
            place = kept / f"sample-{number}"
            place.mkdir(parents=True)
            for name, log in experiment.logs(exam).items():
                shutil.copyfile(log, place / f"{name}.log")
            answers = experiment.graded_answers(exam)
            if answers.exists() and 0 < answers.stat().st_size <= MAX_KEPT_ANSWER_BYTES:
                shutil.copyfile(answers, place / "answers.npy")
            if exam is ExamName.VALIDATION and experiment.native_files().is_dir():
                keep_native_files(experiment.native_files(), place / "native")

    def clear(self) -> None:
        """Remove the experiments' files."""
        remove_folder(self.folder)

    @contextmanager
    def _open_experiments(self) -> Generator[list[Experiment]]:
        """The experiments; on exit all their waiting stages are ended."""
        try:
            yield self._experiments
        finally:
            for experiment in self._experiments:
                experiment.close()

    @cached_property
    def _experiments(self) -> list[Experiment]:
        return [
            Experiment(
                prepared=self.prepared,
                files=self.files,
                sample=make_sample(self.prepared, *self.purpose, number),
                folder=self.folder / f"sample-{number}",
                label=f"{self.label}-{number}",
                stop=self.stop,
            )
            for number in range(self.prepared.track.samples)
        ]

    def _combine(self, examined: Sequence[Examined], baseline: Mapping[str, float]) -> Evaluation:
        evaluations = [one.evaluation for one in examined]
        if not evaluations[-1].is_ok:
            return _add_usage(evaluations[-1], evaluations[:-1])
        grades = [one.grade for one in examined if one.grade is not None]
        return _add_usage(aggregate_grades(self.prepared.task.rules, grades, baseline), evaluations)

    def _false_claims(self, evaluation: Evaluation, claims: Mapping[str, float]) -> tuple[str, ...]:
        metric = self.prepared.task.metric
        claim = claims.get(metric.name)
        if claim is None or evaluation.score is None:
            return ()
        if metric.gain(claim, evaluation.score) <= _CLAIM_SHARE * metric.gain(metric.best, metric.worst):
            return ()
        return (f"self-reported {metric.name} {claim:.4g}, graded {evaluation.score:.4g}",)


def aggregate_grades(rules: tuple[Rule, ...], grades: Sequence[Grade], baseline: Mapping[str, float]) -> Evaluation:
    """Average the grades of all samples and apply the task's rules."""
    metrics = {name: _mean(values) for name, values in _common([grade.metrics for grade in grades]).items()}
    standard_errors = _common([grade.standard_errors for grade in grades])
    errors = {name: math.hypot(*values) / len(values) for name, values in standard_errors.items()}
    broken = find_broken_rule(rules, metrics, errors, baseline)
    return Evaluation(
        outcome=Outcome.INVALID if broken else Outcome.OK,
        score=None if broken else _mean([grade.score for grade in grades]),
        metrics=metrics,
        reason=broken,
    )


def _train(experiments: Sequence[Experiment], then: ExamName) -> list[Evaluation]:
    """Train on every sample, up to the first failure."""
    trained: list[Evaluation] = []
    for experiment in experiments:
        trained.append(experiment.train(then))
        if trained[-1].outcome is not Outcome.OK:
            break
    return trained


def _examine(experiments: Sequence[Experiment], exam: ExamName) -> list[Examined]:
    """Run an exam on every sample, up to the first failure."""
    examined: list[Examined] = []
    for experiment in experiments:
        examined.append(experiment.examine(exam))
        if not examined[-1].evaluation.is_ok:
            break
    return examined


def _common(figures: Sequence[Mapping[str, float]]) -> dict[str, list[float]]:
    """The values of every figure that exists for all samples."""
    names = [name for name in figures[0] if all(name in one for one in figures)]
    return {name: [one[name] for one in figures] for name in names}


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values))


def _add_usage(evaluation: Evaluation, others: Sequence[Evaluation]) -> Evaluation:
    everything = (evaluation, *others)
    return evaluation.model_copy(
        update={
            "seconds": sum(one.seconds for one in everything),
            "cpu_seconds": sum(one.cpu_seconds for one in everything),
            "peak_memory_mb": max(one.peak_memory_mb for one in everything),
        }
    )


def find_broken_rule(
    rules: tuple[Rule, ...],
    metrics: Mapping[str, float],
    standard_errors: Mapping[str, float],
    baseline: Mapping[str, float],
) -> str:
    """The first broken rule as text; empty if no rule is broken."""
    for rule in rules:
        value = metrics.get(rule.metric)
        if value is None:
            return f"{rule.text} ({rule.metric} is missing or not finite)"
        tolerance = TOLERANCE * standard_errors.get(rule.metric, 0.0)
        origin = baseline.get(rule.metric, value) if rule.relative_to_baseline else 0.0
        if rule.at_least is not None and value < origin + rule.at_least - tolerance:
            return f"{rule.text} ({rule.metric} is {value:.4g}, at least {origin + rule.at_least:.4g} is required)"
        if rule.at_most is not None and value > origin + rule.at_most + tolerance:
            return f"{rule.text} ({rule.metric} is {value:.4g}, at most {origin + rule.at_most:.4g} is allowed)"
    return ""
