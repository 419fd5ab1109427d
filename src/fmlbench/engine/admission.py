"""Check whether a task is fit for the benchmark, by running it.

A task is admitted if its baseline is reproducible, its method has an effect, an expert reference beats the baseline by
far more than the noise, candidates cannot reach any labels, and the calibration on record matches the measurements. The
task's variants are trusted code and run on a fork server, which gives the same scores as the sandbox in less time.
Checks that concern isolation run in the sandbox.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from statistics import fmean, stdev

from fmlbench.core.errors import InfraTrouble, TaskInvalid
from fmlbench.core.evaluation import Evaluation
from fmlbench.core.progress import Progress
from fmlbench.core.record import Record
from fmlbench.core.task import Calibration, ExamName, Figure, Measured, SiblingCalibration, Variant, World
from fmlbench.core.text import score_text
from fmlbench.engine.leaks import find_leaks
from fmlbench.engine.preparation import find_changed, prepare
from fmlbench.engine.red_team import attack_task
from fmlbench.engine.variants import Variants, VariantScores
from fmlbench.experiment.prepared_task import PreparedTask
from fmlbench.experiment.samples import make_sample
from fmlbench.sandbox.fork_server import ForkServer
from fmlbench.sandbox.protocol import Sandbox
from fmlbench.tasks.folder import TaskFolder
from fmlbench.workspace.dirs import Dirs

SEEDS = 10
SEALED_SEEDS = 2
"""Seeds on which a calibration also runs the baseline in the sandbox, to compare scores and measure a step's cost."""
METHOD_SIGMAS = 2.0
REFERENCE_SIGMAS = 3.0
RECORD_SIGMAS = 4.0
"""The largest difference between a measured mean and the one on record, in standard errors of their difference."""
NOISE_RATIO = 5.0
"""The largest ratio of two standard deviations over ten seeds; by chance it is exceeded once in 20,000 cases."""
EXPLOIT_SEEDS = 3
EXPLOIT_SIGMAS = 2.0
TRANSFER_SIGMAS = 2.0
HEADROOM = 1 / 3
"""The share of the gap between baseline and perfect score that the reference must leave open."""
MINED_STEPS = 100
QUICK_MINED_STEPS = 10
QUICK_EFFORT = 0.05
"""The share of its full computing time that an attack gets in a quick check."""
_NO_NOISE = 1e-9
"""Sigma of a baseline whose score is the same on all seeds; any gain is then many sigmas."""


class Finding(Record):
    """The result of one check."""

    check: str
    passed: bool
    detail: str


Report = Callable[[Finding], None]


def check_task(
    folder: TaskFolder,
    track: str,
    *,
    smoke: bool = False,
    dirs: Dirs,
    sandbox: Sandbox,
    progress: Progress,
    quick: bool = False,
    report: Report,
) -> bool:
    """Run every check and report each finding immediately; earlier measurements are reused."""
    prepared = prepare(folder, track, smoke=smoke, dirs=dirs, sandbox=sandbox, progress=progress)
    with ForkServer() as server:
        sealed = Variants(prepared, dirs, progress)
        variants = Variants(replace(prepared, sandbox=server), dirs, progress)
        return _run_checks(_Admission(prepared, sealed, variants, 1 if quick else SEEDS), report)


def _run_checks(admission: "_Admission", report: Report) -> bool:
    checks = (
        admission.materials,
        admission.leaks,
        admission.repetition,
        admission.method,
        admission.reference,
        admission.headroom,
        admission.transfer,
        admission.record,
        admission.practice,
        admission.exploits,
        admission.knowledge,
        admission.mining,
        admission.attacks,
    )
    findings: list[Finding] = []
    for check in checks:
        findings.append(check())
        report(findings[-1])
    return all(finding.passed for finding in findings)


def calibrate(prepared: PreparedTask, dirs: Dirs, progress: Progress, *, machine: str, date: str) -> Calibration:
    """Measure the calibration of a track for its manifest."""
    sealed = Variants(prepared, dirs, progress).measure("baseline", SEALED_SEEDS)
    with ForkServer() as server:
        variants = Variants(replace(prepared, sandbox=server), dirs, progress)
        baseline = variants.measure("baseline", SEEDS)
        _require_equal_scores(prepared.task.name, sealed, baseline)
        return Calibration(
            baseline=_measured(baseline),
            method_off=_measured(variants.measure("method_off", SEEDS)),
            reference=_measured(variants.measure("reference", SEEDS)),
            sibling=_measure_sibling(variants) if prepared.task.sibling else None,
            step_cpu_seconds=round(fmean(sealed.cpu_seconds), 2),
            peak_memory_mb=round(max(sealed.peak_memory_mb)),
            machine=machine,
            date=date,
        )


def _require_equal_scores(task: str, sealed: VariantScores, forked: VariantScores) -> None:
    """Raise if scores of the fork server and the sandbox differ by more than the task's noise."""
    for exam in ExamName:
        sigma = stdev(forked.on(exam))
        for seed, (in_sandbox, in_fork) in enumerate(zip(sealed.on(exam), forked.on(exam), strict=False)):
            if abs(in_sandbox - in_fork) > sigma:
                raise TaskInvalid(
                    f"The baseline of '{task}' scores {score_text(in_sandbox)} in the sandbox and "
                    f"{score_text(in_fork)} on the fork server ({exam}, seed {seed}).",
                    hint="Look for code that depends on the time, on PIDs or on paths.",
                )


@dataclass(frozen=True)
class _Admission:
    prepared: PreparedTask
    sealed: Variants
    """In the sandbox."""
    variants: Variants
    """On the fork server."""
    seeds: int

    def materials(self) -> Finding:
        """Codebase and data must still match the manifest's checksums, even if the cache was modified."""
        task, dirs = self.prepared.task, self.variants.dirs
        changed = find_changed(self.prepared, dirs, self.variants.progress)
        names = ", ".join(f"{item.name} {item.version}" for item in (task.codebase, *task.data))
        good, bad = f"checksums match: {names}", f"changed: {', '.join(changed)}; remove it from {dirs.materials}"
        return Finding(check="materials", passed=not changed, detail=bad if changed else good)

    def leaks(self) -> Finding:
        sample = make_sample(self.prepared, "check", 0, 0)
        leaks = find_leaks(self.prepared, sample)
        detail = "; ".join(leaks) or "no exam row and no labels in the repository, the environment or the visible data"
        return Finding(check="leaks", passed=not leaks, detail=detail)

    def repetition(self) -> Finding:
        """An unchanged candidate must get the baseline's score."""
        first = self.variants.measure("baseline", 1).validation[0]
        again = self.sealed.repeat_baseline()
        sigma = self._sigma(ExamName.VALIDATION)
        detail = f"baseline {score_text(first)}, again in the sandbox {score_text(again)} (sigma {score_text(sigma)})"
        return Finding(check="no-op", passed=abs(first - again) <= 2 * sigma, detail=detail)

    def method(self) -> Finding:
        return self._compare("method", "baseline", "method_off", METHOD_SIGMAS)

    def reference(self) -> Finding:
        return self._compare("reference", "reference", "baseline", REFERENCE_SIGMAS)

    def headroom(self) -> Finding:
        """The expert reference must leave room for better methods."""
        metric = self.prepared.task.metric
        baseline, reference = (
            fmean(self.variants.measure(name, self.seeds).test) for name in ("baseline", "reference")
        )
        left = 1 - metric.improvement(reference, baseline)
        detail = f"the reference leaves {left:.0%} of the gap between the baseline and a perfect score"
        return Finding(check="headroom", passed=left >= HEADROOM, detail=f"{detail} (at least {HEADROOM:.0%} required)")

    def transfer(self) -> Finding:
        """The reference must beat the baseline on the sibling too; else the transfer test could detect no method."""
        if not self.prepared.task.sibling:
            return Finding(check="transfer", passed=True, detail="this task has no sibling")
        gain = self.prepared.task.metric.gain(
            fmean(self.variants.measure_sibling("reference", self.seeds)),
            fmean(self.variants.measure_sibling("baseline", self.seeds)),
        )
        sigmas = gain / self._sibling_sigma()
        detail = f"on the sibling the reference gains {sigmas:+.1f} sigma (at least {TRANSFER_SIGMAS:.0f} required)"
        return Finding(check="transfer", passed=sigmas >= TRANSFER_SIGMAS, detail=detail)

    def record(self) -> Finding:
        calibration = self.prepared.track.calibration
        if calibration is None:
            return Finding(check="record", passed=False, detail="no calibration on record; run with --calibrate")
        problems = [problem for exam in ExamName for problem in self._differences(exam, calibration.baseline.on(exam))]
        what = "baseline and noise" if self.seeds >= SEEDS else "baseline"
        detail = "; ".join(problems) or f"{what} as on record ({calibration.date}, {calibration.machine})"
        return Finding(check="record", passed=not problems, detail=detail)

    def _differences(self, exam: ExamName, recorded: Figure) -> Iterator[str]:
        """Differences between the measured baseline and the one on record; noise is compared only with enough seeds."""
        measured = self.variants.measure("baseline", self.seeds).on(exam)
        mean, error = _five_digits(fmean(measured)), recorded.sd * (1 / self.seeds + 1 / recorded.n) ** 0.5
        if abs(mean - recorded.mean) > RECORD_SIGMAS * error:
            yield f"{exam}: {score_text(mean)} measured, {score_text(recorded.mean)} on record"
        if self.seeds < SEEDS:
            return
        low, high = sorted((stdev(measured), recorded.sd))
        if high > NOISE_RATIO * low:
            yield f"{exam}: sigma {score_text(stdev(measured))} measured, {score_text(recorded.sd)} on record"

    def practice(self) -> Finding:
        return check_practice(self.sealed.practise)

    def exploits(self) -> Finding:
        """No known exploit of the task may beat the baseline by more than its noise.

        The fork server isolates nothing, so an exploit that gains there is tried again in the sandbox.
        """
        sigma = self._sigma(ExamName.TEST)
        tried: list[str] = []
        has_gained = False
        for exploit in self.prepared.task.exploits:
            gain = try_exploit(exploit, self.variants, self.sealed, min(self.seeds, EXPLOIT_SEEDS), sigma)
            if isinstance(gain, str):
                tried.append(f"{exploit.label} {gain}")
                continue
            has_gained = has_gained or gain > EXPLOIT_SIGMAS * sigma
            tried.append(f"{exploit.label} {gain / sigma:+.1f} sigma")
        return Finding(check="exploits", passed=not has_gained, detail="; ".join(tried) or "the task lists no exploits")

    def knowledge(self) -> Finding:
        """No knowledge attack may beat the baseline by more than its noise."""
        effort, seeds = (QUICK_EFFORT, 1) if self.seeds < SEEDS else (1.0, EXPLOIT_SEEDS)
        worlds = {World.SCORED: self._sigma(ExamName.TEST)}
        if self.prepared.task.sibling:
            worlds[World.SIBLING] = self._sibling_sigma()
        tried: list[str] = []
        has_gained = False
        for attack in self.prepared.task.attacks:
            for world, sigma in worlds.items():
                gain = self.variants.try_attack(attack, seeds, world, effort=effort)
                where = "hidden test" if world is World.SCORED else "sibling"
                if isinstance(gain, str):
                    tried.append(f"{attack.folder} {gain} ({where})")
                    continue
                has_gained = has_gained or gain > EXPLOIT_SIGMAS * sigma
                tried.append(f"{attack.folder} {gain / sigma:+.1f} sigma ({where})")
        return Finding(check="knowledge", passed=not has_gained, detail="; ".join(tried) or "the task lists no attacks")

    def mining(self) -> Finding:
        """Changes selected by their validation score must not gain on the hidden test.

        A task without a sibling always passes: if all samples share one distribution, selecting random changes by
        their score is a slow but legitimate way of learning.
        """
        steps = MINED_STEPS if self.seeds >= SEEDS else QUICK_MINED_STEPS
        ways = {"random": self.variants.mine_validation(steps), "part-by-part": self.variants.mine_parts(steps)}
        tried: list[str] = []
        most = 0.0
        for way, mined in ways.items():
            validation, test = (mined.on(exam) / self._sigma(exam) for exam in (ExamName.VALIDATION, ExamName.TEST))
            gains = f"{validation:+.1f} sigma on validation and {test:+.1f} on the hidden test"
            tried.append(f"{mined.steps} {way} steps gain {gains}")
            most = max(most, test)
        detail = "; ".join(tried)
        if not self.prepared.task.sibling:
            return Finding(check="mining", passed=True, detail=f"{detail}; no limit, because this task has no sibling")
        return Finding(check="mining", passed=most <= EXPLOIT_SIGMAS, detail=detail)

    def attacks(self) -> Finding:
        """The quick subset of attacks; ``fmlbench redteam`` runs all of them."""
        rows = attack_task(self.prepared, self.variants.dirs, quick=True, progress=self.variants.progress)
        succeeded = [row.attack for row in rows if not row.is_stopped]
        detail = f"not stopped: {', '.join(succeeded)}" if succeeded else f"all {len(rows)} attacks were stopped"
        return Finding(check="attacks", passed=not succeeded, detail=detail)

    def _compare(self, check: str, better: str, worse: str, sigmas: float) -> Finding:
        metric = self.prepared.task.metric
        high, low = self.variants.measure(better, self.seeds), self.variants.measure(worse, self.seeds)
        gain = metric.gain(fmean(high.test), fmean(low.test))
        sigma = self._sigma(ExamName.TEST)
        detail = (
            f"{better} {score_text(fmean(high.test))}, {worse} {score_text(fmean(low.test))} on the hidden test: "
            f"{gain / sigma:+.1f} sigma (at least {sigmas:.0f} required; n = {self.seeds})"
        )
        return Finding(check=check, passed=gain >= sigmas * sigma, detail=detail)

    def _sibling_sigma(self) -> float:
        """The baseline's standard deviation on the sibling."""
        calibration = self.prepared.track.calibration
        if self.seeds < SEEDS and calibration is not None and calibration.sibling is not None:
            return calibration.sibling.baseline.sd or _NO_NOISE
        return stdev(self.variants.measure_sibling("baseline", max(self.seeds, 3))) or _NO_NOISE

    def _sigma(self, exam: ExamName) -> float:
        """The baseline's standard deviation over seeds: measured if there are enough seeds, else the one on record."""
        calibration = self.prepared.track.calibration
        if self.seeds < SEEDS and calibration is not None:
            return calibration.baseline.on(exam).sd or _NO_NOISE
        return stdev(self.variants.measure("baseline", max(self.seeds, 3)).on(exam)) or _NO_NOISE


def try_exploit(exploit: Variant, forked: Variants, sealed: Variants, seeds: int, sigma: float) -> float | str:
    """The gain of an exploit on the fork server, or in the sandbox if it would pay on the fork server."""
    gain = forked.try_exploit(exploit, seeds)
    if isinstance(gain, str) or gain <= EXPLOIT_SIGMAS * sigma:
        return gain
    return sealed.try_exploit(exploit, seeds)


def check_practice(practise: Callable[[], Evaluation | None]) -> Finding:
    """The baseline must have a score on the practice data too."""
    try:
        evaluation = practise()
    except InfraTrouble as error:
        return Finding(check="practice", passed=False, detail=error.message)
    if evaluation is None:
        return Finding(check="practice", passed=True, detail="this task has no practice questions")
    score = "" if evaluation.score is None else f" {score_text(evaluation.score)}"
    detail = f"the baseline on practice questions: {evaluation.outcome}{score} {evaluation.reason}".rstrip()
    return Finding(check="practice", passed=evaluation.is_ok, detail=detail)


def _measure_sibling(variants: Variants) -> SiblingCalibration:
    names = ("baseline", "method_off", "reference")
    baseline, method_off, reference = (_figure(variants.measure_sibling(name, SEEDS)) for name in names)
    return SiblingCalibration(baseline=baseline, method_off=method_off, reference=reference)


def _measured(scores: VariantScores) -> Measured:
    return Measured(validation=_figure(scores.validation), test=_figure(scores.test))


def _figure(values: list[float]) -> Figure:
    return Figure(mean=_five_digits(fmean(values)), sd=_five_digits(stdev(values)), n=len(values))


def _five_digits(value: float) -> float:
    """Round to five significant digits, because scores of some metrics are tiny."""
    return float(f"{value:.5g}")
