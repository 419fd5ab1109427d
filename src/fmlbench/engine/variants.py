"""Measure the variants of a task's code: baseline, ablation, expert reference, exploits."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean

from fmlbench.core.errors import TaskInvalid
from fmlbench.core.evaluation import Evaluation, Outcome
from fmlbench.core.progress import Progress
from fmlbench.core.record import Record
from fmlbench.core.task import ExamName, KnowledgeAttack, Variant, World
from fmlbench.engine.adversary import Mined, mine, mine_parts
from fmlbench.experiment.evaluator import CandidateEvaluator
from fmlbench.experiment.knowledge import build_attack
from fmlbench.experiment.prepared_task import PreparedTask
from fmlbench.tasks.folder import program_files
from fmlbench.workspace.dirs import Dirs
from fmlbench.workspace.editing_rules import find_violation
from fmlbench.workspace.files import scratch_beside
from fmlbench.workspace.trees import editable_files, repository_files


class _Built(Record):
    files: dict[str, str]


class _Measurement(Record):
    validation: Evaluation
    test: Evaluation


@dataclass(frozen=True)
class VariantScores:
    """Scores by seed on both exams, and the cost of a step."""

    validation: list[float]
    test: list[float]
    cpu_seconds: list[float]
    peak_memory_mb: list[float]

    def on(self, exam: ExamName) -> list[float]:
        """The scores of one exam."""
        return self.validation if exam is ExamName.VALIDATION else self.test


@dataclass(frozen=True)
class Variants:
    """A task's variants on check seeds; measurements are cached, so that an interrupted check can be resumed."""

    prepared: PreparedTask
    dirs: Dirs
    progress: Progress

    def measure(self, variant: str, seeds: int) -> VariantScores:
        """Scores of a variant on the first ``seeds`` check seeds."""
        files = self.files_of(variant)
        if violation := self._violation_of(files):
            raise TaskInvalid(
                f"The {variant} of '{self.prepared.task.name}' breaks the editing rules: {violation}",
                hint="The editing rules apply to a task's variants as they do to candidates.",
            )
        self.progress.start(f"{self.prepared.task.name}: {variant}", seeds)
        measured: list[_Measurement] = []
        for seed in range(seeds):
            measured.append(self._require_both_ok(variant, self._measure(variant, files, seed)))
            self.progress.advance(1)
        self.progress.finish()
        return _scores(measured)

    def try_files(self, name: str, files: Mapping[str, str], seeds: int) -> VariantScores | str:
        """Scores of any editable files on the first so many check seeds; or why they have none."""
        if violation := self._violation_of(files):
            return f"{Outcome.REJECTED}: {violation}"
        measured: list[_Measurement] = []
        for seed in range(seeds):
            measured.append(self._measure(name, files, seed))
            failed = next((one for one in (measured[-1].validation, measured[-1].test) if not one.is_ok), None)
            if failed:
                return f"{failed.outcome}: {failed.reason}"
        return _scores(measured)

    def measure_sibling(self, variant: str, seeds: int) -> list[float]:
        """Scores of a variant on the hidden test of the sibling, on the first ``seeds`` check seeds."""
        self.progress.start(f"{self.prepared.task.name}: {variant} on the sibling", seeds)
        scores: list[float] = []
        for seed in range(seeds):
            test = self._test(variant, self.files_of(variant), seed, World.SIBLING)
            self._require_ok(variant, ExamName.TEST, test)
            scores.append(_score(test))
            self.progress.advance(1)
        self.progress.finish()
        return scores

    def repeat_baseline(self) -> float:
        """The baseline's validation score on the first check seed, measured again without the cache."""
        with scratch_beside(self._kept("repeated", {})) as scratch:
            again = self._evaluator("baseline", self.files_of("baseline"), 0, scratch).validate({})
        self._require_ok("baseline", ExamName.VALIDATION, again)
        return _score(again)

    def practise(self) -> Evaluation | None:
        """The baseline on practice questions; None if the task has none."""
        if not self.prepared.task.lab:
            return None
        with scratch_beside(self._kept("practice", {})) as scratch:
            evaluator = self._evaluator("baseline", self.files_of("baseline"), 0, scratch)
            return replace(evaluator, prepared=self.prepared.in_lab(), purpose=("practice", 0)).validate({})

    def try_exploit(self, exploit: Variant, seeds: int) -> float | str:
        """The mean gain of an exploit over the baseline on the hidden test, or why it has no score.

        Validation is skipped: an exploit that would fail there gains nothing in a run either.
        """
        return self._gain(exploit.label, self.files_of(exploit.label), seeds, World.SCORED)

    def try_attack(self, attack: KnowledgeAttack, seeds: int, world: World, *, effort: float) -> float | str:
        """The mean gain of a knowledge attack over the baseline on a hidden test, or why it has no score."""
        return self._gain(attack.folder, {**self.files_of("baseline"), **self._build(attack, effort)}, seeds, world)

    def mine_validation(self, steps: int) -> Mined:
        """The gain of an adversary who keeps random changes that score better on validation."""
        with scratch_beside(self._kept("mining", {})) as scratch:
            return mine(self.prepared, self.files_of("baseline"), seed=0, steps=steps, scratch=scratch)

    def mine_parts(self, steps: int) -> Mined:
        """What an adversary gains who chooses the training seed of each part of a sample by its validation score."""
        with scratch_beside(self._kept("mining-parts", {})) as scratch:
            return mine_parts(self.prepared, self.files_of("baseline"), seed=0, steps=steps, scratch=scratch)

    def _gain(self, variant: str, files: Mapping[str, str], seeds: int, world: World) -> float | str:
        baseline = self._baseline_scores(seeds, world)
        gains: list[float] = []
        for seed in range(seeds):
            test = self._test(variant, files, seed, world)
            if test.score is None:
                return f"{test.outcome}: {test.reason}"
            gains.append(self.prepared.task.metric.gain(test.score, baseline[seed]))
        return fmean(gains)

    def _baseline_scores(self, seeds: int, world: World) -> list[float]:
        if world is World.SIBLING:
            return self.measure_sibling("baseline", seeds)
        return self.measure("baseline", seeds).test

    def _build(self, attack: KnowledgeAttack, effort: float) -> dict[str, str]:
        """An attack's files; cached by effort and version of its program."""
        sources = program_files(self.prepared.folder.path / attack.folder)
        texts = {name: path.read_text("utf-8") for name, path in sources.items()}
        kept = self._kept(attack.folder, texts) / f"built-{effort:g}.json"
        if not kept.exists():
            self.progress.start(f"{self.prepared.task.name}: building {attack.folder}")
            files = build_attack(self.prepared, attack, effort, kept)
            self.progress.finish()
            with scratch_beside(kept) as scratch:
                _keep(_Built(files=files), scratch, kept)
        return _Built.model_validate_json(kept.read_bytes()).files

    def files_of(self, variant: str) -> Mapping[str, str]:
        """The editable files of a variant; exploits are named by their labels."""
        task, folder = self.prepared.task, self.prepared.folder
        baseline = editable_files(self.prepared.codebase, task.editable)
        overlays = {"method_off": task.method_off, "reference": task.reference}
        overlays |= {exploit.label: exploit for exploit in task.exploits}
        return baseline if variant == "baseline" else {**baseline, **folder.files_of(overlays[variant], baseline)}

    def baseline_metrics(self, variant: str, seed: int) -> tuple[Mapping[str, float], Mapping[str, float]]:
        """The baseline's metrics on validation and test, for rules that are relative to them.

        Empty for the ablation: rules do not apply to it, only its score matters.
        """
        if variant in ("baseline", "method_off") or not self.prepared.task.rules:
            return {}, {}
        baseline = self._require_both_ok("baseline", self._measure("baseline", self.files_of("baseline"), seed))
        return baseline.validation.metrics, baseline.test.metrics

    def _measure(self, variant: str, files: Mapping[str, str], seed: int) -> _Measurement:
        kept = self._kept(variant, files) / f"{seed}.json"
        if kept.exists():
            return _Measurement.model_validate_json(kept.read_bytes())
        with scratch_beside(kept) as scratch:
            evaluator = self._evaluator(variant, files, seed, scratch)
            validation, test = self.baseline_metrics(variant, seed)
            first = evaluator.validate(validation)
            measurement = _Measurement(validation=first, test=evaluator.take_test(test) if first.is_ok else first)
            if measurement.validation.is_ok and measurement.test.is_ok:
                _keep(measurement, scratch, kept)
        return measurement

    def _test(self, variant: str, files: Mapping[str, str], seed: int, world: World) -> Evaluation:
        if violation := self._violation_of(files):
            return Evaluation(outcome=Outcome.REJECTED, reason=violation)
        kept = self._kept(variant, files) / f"{seed}-{'test' if world is World.SCORED else world}.json"
        if kept.exists():
            return Evaluation.model_validate_json(kept.read_bytes())
        with scratch_beside(kept) as scratch:
            evaluator = self._evaluator(variant, files, seed, scratch)
            evaluator = replace(evaluator, prepared=replace(self.prepared, world=world))
            evaluation = evaluator.take_test(self._test_metrics_of_baseline(variant, seed, world))
            if evaluation.is_ok:
                _keep(evaluation, scratch, kept)
        return evaluation

    def _test_metrics_of_baseline(self, variant: str, seed: int, world: World) -> Mapping[str, float]:
        """The baseline's metrics on the same sample, for rules that are relative to them."""
        if world is World.SCORED:
            return self.baseline_metrics(variant, seed)[1]
        if variant in ("baseline", "method_off") or not self.prepared.task.rules:
            return {}
        return self._test("baseline", self.files_of("baseline"), seed, world).metrics

    def _violation_of(self, files: Mapping[str, str]) -> str | None:
        repository = repository_files(self.prepared.codebase)
        return find_violation(files, self.files_of("baseline"), self.prepared.task.editable, repository=repository)

    def _evaluator(self, variant: str, files: Mapping[str, str], seed: int, scratch: Path) -> CandidateEvaluator:
        return CandidateEvaluator(
            prepared=self.prepared,
            files=files,
            folder=scratch / "experiments",
            label=f"check-{self.prepared.task.name}-{variant.replace('/', '-')}-{seed}",
            purpose=("check", seed),
        )

    def _kept(self, variant: str, files: Mapping[str, str]) -> Path:
        content = hashlib.sha256(repr(sorted(files.items())).encode()).hexdigest()[:12]
        task = self.prepared
        name = f"{task.task.name}-{task.track_name}-{task.folder.digest[:12]}-{task.secret.fingerprint}"
        return self.dirs.checks / f"{name}-{task.sandbox.isolation}" / f"{variant.replace('/', '-')}-{content}"

    def _require_both_ok(self, variant: str, measurement: _Measurement) -> _Measurement:
        self._require_ok(variant, ExamName.VALIDATION, measurement.validation)
        self._require_ok(variant, ExamName.TEST, measurement.test)
        return measurement

    def _require_ok(self, variant: str, exam: ExamName, evaluation: Evaluation) -> None:
        if not evaluation.is_ok:
            raise TaskInvalid(
                f"The {variant} of '{self.prepared.task.name}' fails on {exam}: {evaluation.reason}.",
                hint=f"The end of its log: {evaluation.log_tail.strip()[-600:] or 'empty'}",
            )


def _keep(record: Record, scratch: Path, kept: Path) -> None:
    fresh = scratch / kept.name
    fresh.write_text(record.model_dump_json(), "utf-8")
    fresh.replace(kept)


def _scores(measured: list[_Measurement]) -> VariantScores:
    return VariantScores(
        validation=[_score(one.validation) for one in measured],
        test=[_score(one.test) for one in measured],
        cpu_seconds=[one.validation.cpu_seconds + one.test.cpu_seconds for one in measured],
        peak_memory_mb=[one.validation.peak_memory_mb for one in measured],
    )


def _score(evaluation: Evaluation) -> float:
    assert evaluation.score is not None  # noqa: S101 - measurements without a score raise earlier
    return evaluation.score
