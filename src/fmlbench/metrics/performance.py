"""The agent's result on the sealed test.

The validation winner and the baseline are retrained and tested on fresh seeds, because the best validation score of
many steps is biased upward.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import fmean

from fmlbench.core.evaluation import Evaluation
from fmlbench.core.run import RetestKey, RetestKind
from fmlbench.metrics.measure import Missing, Value
from fmlbench.metrics.scale import normalised_improvement as clamped
from fmlbench.metrics.trace import Trace


@dataclass(frozen=True)
class RetestScores:
    """Scores of the winner and of the baseline on the same fresh seeds, by seed."""

    baseline: Mapping[int, float]
    winner: Mapping[int, float]

    @property
    def complete(self) -> tuple[float, float] | None:
        """Winner's and baseline's means over the seeds on which both have a score."""
        seeds = self.winner.keys() & self.baseline.keys()
        if not seeds:
            return None
        return fmean(self.winner[seed] for seed in seeds), fmean(self.baseline[seed] for seed in seeds)

    @property
    def intended(self) -> tuple[float, float]:
        """The same over all seeds; a winner without a score counts as the baseline (intention to treat)."""
        winner = fmean(self.winner.get(seed, score) for seed, score in self.baseline.items())
        return winner, fmean(self.baseline.values())


def retest_scores(trace: Trace, kind: RetestKind = RetestKind.FRESH) -> RetestScores | Missing:
    """The retest scores of a run, or why they are missing."""
    if not trace.is_over:
        return Missing("the run is not finished")
    winner = trace.winner
    if winner is None:
        return Missing("no step has a score, not even the baseline")
    if not trace.spec.retest_seeds:
        return Missing("retests are disabled (--retest 0)")
    baseline = scores_of(trace.retests, kind, 0)
    if not baseline:
        return Missing("the baseline has no retest")
    due = {RetestKey(kind, winner.index, seed) for seed in range(trace.spec.retest_seeds)}
    if not due <= trace.retests.keys():
        return Missing("the retests are not complete")
    return RetestScores(baseline, scores_of(trace.retests, kind, winner.index))


def retest_score(trace: Trace) -> Value:
    """The mean retest score of the winner, over the seeds with a score."""
    found = retest_scores(trace)
    if isinstance(found, Missing):
        return found
    return fmean(found.winner.values()) if found.winner else Missing("no retest of the winner has a score")


def improvement(trace: Trace) -> Value:
    """The gain as a share of the distance from baseline to perfect score; failed retests count as the baseline."""
    found = retest_scores(trace)
    return found if isinstance(found, Missing) else _share(trace, *found.intended)


def improvement_complete_case(trace: Trace) -> Value:
    """The same over the retests with a score."""
    found = retest_scores(trace)
    if isinstance(found, Missing):
        return found
    means = found.complete
    return _share(trace, *means) if means else Missing("no retest of the winner has a score")


def normalised_improvement(trace: Trace) -> Value:
    """As in the reference scorer: the gain as a share of the whole range, clamped at zero."""
    found = retest_scores(trace)
    return found if isinstance(found, Missing) else clamped(trace.metric, *found.intended)


def improvement_by_retest(trace: Trace) -> dict[int, float]:
    """The improvement on each fresh seed over that seed's baseline; empty without retests."""
    found = retest_scores(trace)
    if isinstance(found, Missing):
        return {}
    shares = {seed: _share(trace, found.winner.get(seed, score), score) for seed, score in found.baseline.items()}
    return {seed: share for seed, share in shares.items() if not isinstance(share, Missing)}


def transfer(trace: Trace) -> Value:
    """The improvement on the task's sibling; zero if the winner is the baseline."""
    if not trace.task.sibling:
        return Missing("the task has no sibling")
    if trace.is_over and trace.winner is not None and trace.winner.index == 0:
        return 0.0
    found = retest_scores(trace, RetestKind.TRANSFER)
    return found if isinstance(found, Missing) else _share(trace, *found.intended)


def gain_in_sigmas(trace: Trace) -> Value:
    """The gain over the baseline in standard deviations of the baseline's test score."""
    found = retest_scores(trace)
    if isinstance(found, Missing):
        return found
    if trace.calibration is None or not trace.calibration.baseline.test.sd:
        return Missing("the task's noise is not calibrated")
    return trace.metric.gain(*found.intended) / trace.calibration.baseline.test.sd


def best_test_score(trace: Trace) -> Value:
    """The paper's performance measure: the best hidden test score over all steps (an oracle selection)."""
    if not trace.is_over:
        return Missing("the run is not finished")
    scores = [score for index in trace.tests if (score := trace.test_score(index)) is not None]
    if not scores:
        return Missing("no step has a hidden test score")
    return max(scores, key=lambda score: trace.metric.gain(score, 0.0))


def _share(trace: Trace, winner: float, baseline: float) -> Value:
    if trace.metric.best == baseline:
        return Missing("the baseline is already perfect")
    return trace.metric.improvement(winner, baseline)


def scores_of(retests: Mapping[RetestKey, Evaluation], kind: RetestKind, index: int) -> dict[int, float]:
    """The scores of one step's retests, by seed."""
    return {
        key.seed: evaluation.score
        for key, evaluation in sorted(retests.items())
        if (key.kind, key.index) == (kind, index) and evaluation.is_ok and evaluation.score is not None
    }
