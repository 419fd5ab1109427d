"""Admit or refuse a task by running it.

A task is fit when its baseline can be repeated, its method does something, an expert can beat it by far more than its
noise, nothing a candidate can reach gives answers away, and what it has on record is what is measured here.
"""

from collections.abc import Callable
from dataclasses import dataclass
from statistics import fmean, stdev

from fmlbench.core.errors import InfraTrouble
from fmlbench.core.evaluation import Evaluation
from fmlbench.core.progress import Progress
from fmlbench.core.record import Record
from fmlbench.core.task import Calibration, ExamName, Figure, Measured
from fmlbench.engine.leaks import find_leaks
from fmlbench.engine.preparation import prepare
from fmlbench.engine.redteam import attack_task
from fmlbench.engine.variants import Variants, VariantScores
from fmlbench.execution.draws import make_draw
from fmlbench.execution.prepared import PreparedTask
from fmlbench.execution.sandbox import Sandbox
from fmlbench.tasks.folder import TaskFolder
from fmlbench.workspace.places import Places

SEEDS = 10
METHOD_SIGMAS = 2.0
REFERENCE_SIGMAS = 3.0
RECORD_SIGMAS = 4.0
"""How far a measured mean may lie from the one on record, in standard errors of their difference."""
EXPLOIT_SEEDS = 3
EXPLOIT_SIGMAS = 2.0


class Finding(Record):
    """What one check found."""

    check: str
    passed: bool
    detail: str


Report = Callable[[Finding], None]


def check_task(
    folder: TaskFolder,
    track: str,
    *,
    places: Places,
    sandbox: Sandbox,
    progress: Progress,
    quick: bool = False,
    report: Report,
) -> bool:
    """Run every check and report each finding as it comes; what was measured before is not measured again."""
    prepared = prepare(folder, track, places=places, sandbox=sandbox, progress=progress)
    report(Finding(check="materials", passed=True, detail=_materials(folder)))
    variants = Variants(prepared, places, progress)
    admission = _Admission(prepared, variants, 1 if quick else SEEDS)
    checks = (
        admission.leaks,
        admission.repetition,
        admission.method,
        admission.reference,
        admission.record,
        admission.practice,
        admission.exploits,
        lambda: admission.attacks(places),
    )
    findings: list[Finding] = []
    for check in checks:
        findings.append(check())
        report(findings[-1])
    return all(finding.passed for finding in findings)


def calibrate(prepared: PreparedTask, places: Places, progress: Progress, *, machine: str, date: str) -> Calibration:
    """Measure what a manifest has on record about a track."""
    variants = Variants(prepared, places, progress)
    baseline = variants.measure("baseline", SEEDS)
    return Calibration(
        baseline=_measured(baseline),
        method_off=_measured(variants.measure("method_off", SEEDS)),
        reference=_measured(variants.measure("reference", SEEDS)),
        step_cpu_seconds=round(fmean(baseline.cpu_seconds), 2),
        peak_memory_mb=round(max(baseline.peak_memory_mb)),
        machine=machine,
        date=date,
    )


@dataclass(frozen=True)
class _Admission:
    prepared: PreparedTask
    variants: Variants
    seeds: int

    def leaks(self) -> Finding:
        draw = make_draw(self.prepared, "check", 0, 0)
        leaks = find_leaks(self.prepared, draw)
        detail = "; ".join(leaks) or "no exam row and no labels in the repository, the environment or the visible data"
        return Finding(check="leaks", passed=not leaks, detail=detail)

    def repetition(self) -> Finding:
        """A candidate that changes nothing must get the baseline's score."""
        first = self.variants.measure("baseline", 1).validation[0]
        again = self.variants.repeat_baseline()
        sigma = self._sigma(ExamName.VALIDATION)
        detail = f"baseline {first:.4f}, unchanged code once more {again:.4f} (sigma {sigma:.4f})"
        return Finding(check="no-op", passed=abs(first - again) <= 2 * sigma, detail=detail)

    def method(self) -> Finding:
        return self._compare("method", "baseline", "method_off", METHOD_SIGMAS)

    def reference(self) -> Finding:
        return self._compare("reference", "reference", "baseline", REFERENCE_SIGMAS)

    def record(self) -> Finding:
        calibration = self.prepared.track.calibration
        if calibration is None:
            return Finding(check="record", passed=False, detail="no calibration on record; run with --calibrate")
        scores = self.variants.measure("baseline", self.seeds)
        problems: list[str] = []
        for exam, recorded in (
            (ExamName.VALIDATION, calibration.baseline.validation),
            (ExamName.TEST, calibration.baseline.test),
        ):
            measured = fmean(scores.on(exam))
            error = recorded.sd * (1 / self.seeds + 1 / recorded.n) ** 0.5
            if abs(measured - recorded.mean) > RECORD_SIGMAS * error:
                problems.append(f"{exam}: {measured:.4f} measured, {recorded.mean:.4f} on record")
        detail = "; ".join(problems) or f"baseline as on record ({calibration.date}, {calibration.machine})"
        return Finding(check="record", passed=not problems, detail=detail)

    def practice(self) -> Finding:
        return judge_practice(self.variants.practise)

    def exploits(self) -> Finding:
        """No trick that the problem invites may beat the baseline by more than its noise."""
        sigma = self._sigma(ExamName.TEST)
        tried: list[str] = []
        paid = False
        for exploit in self.prepared.task.exploits:
            came_of_it = self.variants.try_exploit(exploit, min(self.seeds, EXPLOIT_SEEDS))
            if isinstance(came_of_it, str):
                tried.append(f"{exploit.folder} {came_of_it}")
                continue
            paid = paid or came_of_it > EXPLOIT_SIGMAS * sigma
            tried.append(f"{exploit.folder} {came_of_it / sigma:+.1f} sigma")
        return Finding(check="exploits", passed=not paid, detail="; ".join(tried) or "none on record")

    def attacks(self, places: Places) -> Finding:
        """The attacks that every task is tried with; ``fmlbench redteam`` tries all there are."""
        rows = attack_task(self.prepared, places, quick=True, progress=self.variants.progress)
        earned = [row.attack for row in rows if not row.is_stopped]
        detail = f"{len(rows)} attacks, none earned anything" if not earned else f"not stopped: {', '.join(earned)}"
        return Finding(check="attacks", passed=not earned, detail=detail)

    def _compare(self, check: str, better: str, worse: str, sigmas: float) -> Finding:
        metric = self.prepared.task.metric
        high, low = self.variants.measure(better, self.seeds), self.variants.measure(worse, self.seeds)
        gain = metric.gain(fmean(high.test), fmean(low.test))
        sigma = self._sigma(ExamName.TEST)
        detail = (
            f"{better} {fmean(high.test):.4f}, {worse} {fmean(low.test):.4f} on the sealed test: "
            f"{gain / sigma:+.1f} sigma (at least {sigmas:.0f} asked; n = {self.seeds})"
        )
        return Finding(check=check, passed=gain >= sigmas * sigma, detail=detail)

    def _sigma(self, exam: ExamName) -> float:
        """The baseline's standard deviation over seeds: measured here if it can be, else the one on record."""
        calibration = self.prepared.track.calibration
        if self.seeds >= SEEDS or calibration is None:
            scores = self.variants.measure("baseline", max(self.seeds, 3)).on(exam)
            return stdev(scores) or 1e-9
        return (calibration.baseline.validation if exam is ExamName.VALIDATION else calibration.baseline.test).sd


def judge_practice(practise: Callable[[], Evaluation | None]) -> Finding:
    """What programs and people try their code on must work, too."""
    try:
        evaluation = practise()
    except InfraTrouble as trouble:
        return Finding(check="practice", passed=False, detail=trouble.message)
    if evaluation is None:
        return Finding(check="practice", passed=True, detail="this task has no practice questions")
    score = "" if evaluation.score is None else f" {evaluation.score:.4f}"
    detail = f"the baseline on practice questions: {evaluation.outcome}{score} {evaluation.reason}".rstrip()
    return Finding(check="practice", passed=evaluation.is_ok, detail=detail)


def _measured(scores: VariantScores) -> Measured:
    return Measured(validation=_figure(scores.validation), test=_figure(scores.test))


def _figure(values: list[float]) -> Figure:
    return Figure(mean=round(fmean(values), 5), sd=round(stdev(values), 5), n=len(values))


def _materials(folder: TaskFolder) -> str:
    names = [f"{item.name} {item.version}" for item in (folder.task.codebase, *folder.task.data)]
    return f"checksums hold: {', '.join(names)}"
