"""Check a run's results: grade its stored answers again, and compute the measures of an export again.

Grading needs the task's data and the secret that determined the run's samples: runs and exports contain no labels.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from tempfile import TemporaryDirectory

from fmlbench.core.errors import BadRequest
from fmlbench.core.evaluation import Evaluation
from fmlbench.core.run import RetestKind
from fmlbench.core.task import ExamName
from fmlbench.engine.retest import retest_purpose
from fmlbench.experiment.answers import AnswersMissing, Array, BadAnswers, read_array, read_untrusted_file
from fmlbench.experiment.evaluator import MAX_KEPT_ANSWER_BYTES, aggregate_grades
from fmlbench.experiment.grader import Grade, GraderRun
from fmlbench.experiment.prepared_task import PreparedTask
from fmlbench.experiment.samples import make_sample
from fmlbench.metrics.catalogue import MEASURES
from fmlbench.metrics.measurement import MeasuredRun
from fmlbench.records.folder import RunFolder
from fmlbench.records.replay import RunState, read_state

_TOLERANCE = 1e-9
_MEASURE_TOLERANCE = 1e-5
"""Larger, because floating-point results differ slightly between processors."""
_ANSWERS = "answers.npy"


class Result(StrEnum):
    """The result of grading or computing something again."""

    REPRODUCED = "reproduced"
    DIFFERENT = "different"
    NOT_KEPT = "answers not kept"
    NOT_CHECKED = "not checked"
    """A measure that this machine cannot compute or this version does not define."""


@dataclass(frozen=True)
class ScoreCheck:
    """One evaluation that was graded again, or one measure that was computed again."""

    what: str
    result: Result
    logged: float | None
    again: float | None


@dataclass(frozen=True)
class _Claim:
    """An evaluation from the log, and the folder of the answers behind it."""

    what: str
    evaluation: Evaluation
    exam: ExamName
    purpose: tuple[str | int, ...]
    answers: Path
    baseline: Mapping[str, float]
    kind: RetestKind = RetestKind.FRESH


def verify_run(folder: RunFolder, prepared: PreparedTask) -> Iterator[ScoreCheck]:
    """Check every graded evaluation of a run, one by one."""
    spec, state = folder.read_spec(), read_state(folder)
    if prepared.folder.digest != spec.task_digest:
        raise BadRequest(
            f"The task '{prepared.task.name}' has changed since this run.",
            hint="Verify with the version of fmlbench in the run's provenance.",
        )
    if state.provenance and state.provenance.secret != prepared.secret.fingerprint:
        raise BadRequest(
            "The samples of this run were built with another machine's secret.",
            hint="Get the file 'secret' from that machine's cache, and pass it with --secret.",
        )
    for claim in _claims(folder, state, spec.seed):
        yield _check(claim, prepared)


def _claims(folder: RunFolder, state: RunState, seed: int) -> Iterator[_Claim]:
    """The graded evaluations in the log."""
    first = state.steps[0].evaluation.metrics if state.steps else {}
    for step in state.steps:
        place = folder.step(step.index)
        baseline = first if step.index else {}
        yield _Claim(
            f"step {step.index}, validation", step.evaluation, ExamName.VALIDATION, ("step", seed), place, baseline
        )
    if not state.finished:
        return  # Hidden scores must not be shown before the run has finished.
    for index, evaluation in sorted(state.tests.items()):
        baseline = state.tests[0].metrics if index and 0 in state.tests else {}
        place = folder.step(index) / "sealed"
        yield _Claim(f"step {index}, hidden test", evaluation, ExamName.TEST, ("step", seed), place, baseline)
    for key, evaluation in sorted(state.retests.items()):
        baseline_retest = state.retests.get(replace(key, index=0))
        baseline = baseline_retest.metrics if key.index and baseline_retest else {}
        what, purpose = f"step {key.index}, {key.kind} {key.seed}", retest_purpose(seed, key.seed)
        yield _Claim(what, evaluation, ExamName.TEST, purpose, folder.retest(key), baseline, key.kind)


def _check(claim: _Claim, prepared: PreparedTask) -> ScoreCheck:
    logged = claim.evaluation
    files = [claim.answers / f"sample-{number}" / _ANSWERS for number in range(prepared.track.samples)]
    if not all(file.is_file() for file in files):
        is_due = logged.is_ok or bool(logged.metrics)
        return ScoreCheck(claim.what, Result.NOT_KEPT if is_due else Result.REPRODUCED, logged.score, None)
    grades = _grade_again(claim, files, prepared)
    if any(one.refused for one in grades):
        return ScoreCheck(claim.what, Result.DIFFERENT if logged.is_ok else Result.REPRODUCED, logged.score, None)
    again = aggregate_grades(prepared.task.rules, grades, claim.baseline)
    is_same = logged.outcome == again.outcome and _agree(_figures(logged), _figures(again))
    return ScoreCheck(claim.what, Result.REPRODUCED if is_same else Result.DIFFERENT, logged.score, again.score)


def _grade_again(claim: _Claim, files: Sequence[Path], prepared: PreparedTask) -> list[Grade]:
    grades: list[Grade] = []
    for number, file in enumerate(files):
        sampled = replace(prepared, world=claim.kind.world, train_share=claim.kind.train_share)
        labels = make_sample(sampled, *claim.purpose, number).labels(claim.exam)
        with TemporaryDirectory(prefix="fmlbench-verify-") as scratch:
            grading = GraderRun(prepared, labels, claim.exam, "verify", Path(scratch) / "grade")
            grades.append(grading.grade(_read(file), prepared.sandbox.run))
    return grades


def _read(file: Path) -> Array:
    try:
        return read_array(read_untrusted_file(file.parent, file.name, MAX_KEPT_ANSWER_BYTES))
    except (BadAnswers, AnswersMissing) as error:
        raise BadRequest(
            f"'{file.name}' of {file.parent.parent.name} is damaged.", hint="Export the run again."
        ) from error


def _figures(evaluation: Evaluation) -> dict[str, float]:
    return {**evaluation.metrics, **({"": evaluation.score} if evaluation.score is not None else {})}


def _agree(logged: Mapping[str, float], again: Mapping[str, float]) -> bool:
    return logged.keys() == again.keys() and all(
        math.isclose(value, again[name], rel_tol=_TOLERANCE, abs_tol=_TOLERANCE) for name, value in logged.items()
    )


def check_measures(logged: Mapping[str, object], embedder: str | None, again: MeasuredRun) -> Iterator[ScoreCheck]:
    """Check every measure of an export; ``embedder`` computed its exploration figures."""
    needs_embedding = {measure.name: measure.needs_embedding for measure in MEASURES}
    for name, value in logged.items():
        old = float(value) if isinstance(value, int | float) else None
        if name not in needs_embedding or (needs_embedding[name] and again.embedder != embedder):
            yield ScoreCheck(f"measure {name}", Result.NOT_CHECKED, old, None)
        else:
            new = again.get(name)
            yield ScoreCheck(
                f"measure {name}", Result.REPRODUCED if _is_close(old, new) else Result.DIFFERENT, old, new
            )


def _is_close(old: float | None, new: float | None) -> bool:
    if old is None or new is None:
        return old is new
    return math.isclose(old, new, rel_tol=_MEASURE_TOLERANCE, abs_tol=_MEASURE_TOLERANCE)
