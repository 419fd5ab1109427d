"""Summarise a run from its logged state and its task.

Hidden test scores are not read before the search is finished.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from fmlbench.core.evaluation import Metric
from fmlbench.core.notes import AgentEnded, ViolationSeen
from fmlbench.core.run import RetestKind, RunSpec
from fmlbench.core.steps import Step
from fmlbench.core.task import Task
from fmlbench.core.usage import Usage
from fmlbench.metrics.flags import Flag, flags_of
from fmlbench.metrics.performance import scores_of
from fmlbench.metrics.statistics.intervals import Estimate, estimate
from fmlbench.metrics.trace import Trace
from fmlbench.records.folder import RunFolder
from fmlbench.records.replay import RunState, read_state
from fmlbench.tasks.library import find_task


class RunPhase(StrEnum):
    """The phase of a run."""

    WAITING = "not started"
    SEARCHING = "in progress"
    RETESTING = "retesting"
    STOPPED = "stopped"
    """It was started, is not complete, and no process executes it."""
    COMPLETE = "complete"


class RunVerdict(StrEnum):
    """The best step compared with the baseline on the retests."""

    BETTER = "better"
    WORSE = "worse"
    UNDECIDED = "undecided"
    """The interval of the difference contains zero."""
    NOTHING_BETTER = "nothing better"
    """No step beat the baseline on validation, so there was nothing to retest."""
    UNKNOWN = "unknown"
    """Fewer than two pairs of retests have scores."""


@dataclass(frozen=True)
class BestStep:
    """The validation winner."""

    index: int
    idea: str
    validation: float


@dataclass(frozen=True)
class TestResult:
    """The sealed test on fresh seeds."""

    verdict: RunVerdict
    baseline: Estimate | None
    best: Estimate | None
    """None if no step beat the baseline, or no retest of it has a score."""
    difference: Estimate | None
    """The gain of the best step over the baseline, paired by seed; positive is better."""
    sigmas: float | None
    """The difference in standard deviations of the baseline's test score, if calibrated."""
    failed: int
    """Retests without a score."""


@dataclass(frozen=True)
class RunSummary:
    """The summary of a run."""

    run: str
    spec: RunSpec
    is_sealed: bool
    metric: str
    stage: RunPhase
    started: str
    """Time of the start; empty if not started."""
    baseline: float | None
    best: BestStep | None
    """None until a step has a score; the baseline (index 0) if no step beat it."""
    proposed: int
    succeeded: int
    outcomes: Mapping[str, int]
    ended: str
    """Why the search ended, as reported by the agent program if there is one; empty before."""
    test: TestResult | None
    """None until the search is finished and a retest is done."""
    transfer: TestResult | None
    """The same on the task's sibling; None without a sibling or if no step beat the baseline."""
    flags: tuple[Flag, ...]
    """Suspicious properties of the best step."""
    proposing_seconds: float
    program_cpu_seconds: float
    """Of the agent program; zero for other agents."""
    experiment_seconds: float
    """Of training and validation exams, including the baseline's."""
    dollars: float | None
    """None if a price is unknown."""
    calls: int
    """Of a language model."""
    input_tokens: int
    output_tokens: int
    violations: int

    @property
    def is_over(self) -> bool:
        """Whether the search is finished, so that hidden scores may be shown."""
        return bool(self.ended)


def read_summary(folder: RunFolder) -> RunSummary:
    """The summary of a run so far."""
    spec, state = folder.read_spec(), read_state(folder)
    return summarise(spec, state, task_of(spec, state), is_played=folder.is_running)


def task_of(spec: RunSpec, state: RunState) -> Task:
    """The task as logged at the start of the run, or the current task if the run has not started."""
    return state.task or find_task(spec.task).on(spec.track, smoke=spec.smoke).task


def summarise(spec: RunSpec, state: RunState, task: Task, *, is_played: bool = True) -> RunSummary:
    """Summarise a run. An incomplete run that no process executes (``is_played``) counts as stopped."""
    history = state.history(task.metric)
    best = history.best
    outcomes = Counter(str(step.evaluation.outcome) for step in history.proposed)
    usages = state.usages
    return RunSummary(
        run=spec.run_id,
        spec=spec,
        is_sealed=spec.isolation.is_sealed,
        metric=task.metric.name,
        stage=_stage(spec, state, task.metric, is_played=is_played),
        started=state.started,
        baseline=state.steps[0].score if state.steps else None,
        best=_best_step(best),
        proposed=len(history.proposed),
        succeeded=sum(step.evaluation.is_ok for step in history.proposed),
        outcomes=dict(outcomes.most_common()),
        ended=_ending(state),
        test=_test_result(spec, state, task, best, RetestKind.FRESH),
        transfer=_test_result(spec, state, task, best, RetestKind.TRANSFER),
        flags=_flags(spec, state, task),
        proposing_seconds=sum(usage.seconds for usage in usages),
        program_cpu_seconds=sum(usage.cpu_seconds for usage in usages),
        experiment_seconds=sum(step.evaluation.seconds for step in state.steps),
        dollars=_dollars(usages),
        calls=sum(usage.calls for usage in usages),
        input_tokens=sum(usage.input_tokens for usage in usages),
        output_tokens=sum(usage.output_tokens for usage in usages),
        violations=_violations(state),
    )


def _ending(state: RunState) -> str:
    if not state.finished:
        return ""
    return next((note.reason for note in state.notes if isinstance(note, AgentEnded)), state.finished)


def _stage(spec: RunSpec, state: RunState, metric: Metric, *, is_played: bool) -> RunPhase:
    if not state.spec:
        return RunPhase.WAITING
    if state.is_complete(spec, metric):
        return RunPhase.COMPLETE
    if not is_played:
        return RunPhase.STOPPED
    return RunPhase.RETESTING if state.finished else RunPhase.SEARCHING


def _best_step(best: Step | None) -> BestStep | None:
    if best is None or best.score is None:
        return None
    return BestStep(index=best.index, idea=best.idea, validation=best.score)


def _flags(spec: RunSpec, state: RunState, task: Task) -> tuple[Flag, ...]:
    if not state.finished:
        return ()
    similarity = state.reference_similarity
    return flags_of(
        Trace(spec=spec, task=task, steps=state.steps, retests=state.retests, reference_similarity=similarity)
    )


def _test_result(spec: RunSpec, state: RunState, task: Task, best: Step | None, kind: RetestKind) -> TestResult | None:
    of_kind = [evaluation for key, evaluation in state.retests.items() if key.kind is kind]
    if not state.finished or not of_kind:
        return None
    baseline = scores_of(state.retests, kind, 0)
    scores = scores_of(state.retests, kind, best.index) if best and best.index else {}
    difference = estimate([task.metric.gain(scores[seed], baseline[seed]) for seed in sorted(scores.keys() & baseline)])
    return TestResult(
        verdict=_verdict(best, difference),
        baseline=estimate(list(baseline.values())),
        best=estimate(list(scores.values())),
        difference=difference,
        sigmas=_in_sigmas(difference, _sigma(spec, task, kind)),
        failed=sum(not evaluation.is_ok for evaluation in of_kind),
    )


def _verdict(best: Step | None, difference: Estimate | None) -> RunVerdict:
    if best is None or best.index == 0:
        return RunVerdict.NOTHING_BETTER
    if difference is None or difference.low is None or difference.high is None:
        return RunVerdict.UNKNOWN
    if difference.low > 0:
        return RunVerdict.BETTER
    return RunVerdict.WORSE if difference.high < 0 else RunVerdict.UNDECIDED


def _sigma(spec: RunSpec, task: Task, kind: RetestKind) -> float:
    """The baseline's standard deviation over seeds; 0 if not calibrated."""
    track = task.track(spec.track, smoke=spec.smoke)
    if track is None or track.calibration is None:
        return 0.0
    if kind is RetestKind.FRESH:
        return track.calibration.baseline.test.sd
    return track.calibration.sibling.baseline.sd if track.calibration.sibling else 0.0


def _in_sigmas(difference: Estimate | None, sigma: float) -> float | None:
    return difference.mean / sigma if difference and sigma > 0 else None


def _dollars(usages: Sequence[Usage]) -> float | None:
    known = [usage.dollars for usage in usages if usage.dollars is not None]
    return sum(known) if len(known) == len(usages) else None


def _violations(state: RunState) -> int:
    """The number of violations; those in hidden exams are included after the search is finished."""
    seen = [step.evaluation for step in state.steps]
    if state.finished:
        seen += [*state.tests.values(), *state.retests.values()]
    by_agent = sum(isinstance(note, ViolationSeen) for note in state.notes)
    return by_agent + sum(len(evaluation.violations) for evaluation in seen)
