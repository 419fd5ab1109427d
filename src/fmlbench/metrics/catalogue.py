"""Every measure there is; tables and docs/metrics.md are read off this list."""

from collections.abc import Sequence

from fmlbench.core.errors import BadRequest
from fmlbench.metrics import cost, efficiency, exploration, hidden_test, performance, reliability
from fmlbench.metrics.measure import Better, Family, Measure
from fmlbench.metrics.reliability import Fate

PAPER = "paper"
SUCCESSOR = "successor"
BOTH = "paper, successor"

MEASURES: tuple[Measure, ...] = (
    Measure(
        "improvement",
        Family.PERFORMANCE,
        "share",
        Better.HIGHER,
        "The share of the way from the baseline to a perfect score that the validation winner goes on the sealed test "
        "of fresh seeds; a retest without a score counts as the baseline (intention to treat).",
        performance.improvement,
    ),
    Measure(
        "transfer",
        Family.PERFORMANCE,
        "share",
        Better.HIGHER,
        "The same on the task's sibling, which the agent never saw: a method transfers; tables, weights and inverted "
        "simulators do not.",
        performance.transfer,
    ),
    Measure(
        "improvement_complete_case",
        Family.PERFORMANCE,
        "share",
        Better.HIGHER,
        "The same over the retests that gave a score.",
        performance.improvement_complete_case,
    ),
    Measure(
        "normalised_improvement",
        Family.PERFORMANCE,
        "share",
        Better.HIGHER,
        "The gain of the winner's retest as a share of the task's whole range, where a loss counts as zero.",
        performance.normalised_improvement,
        SUCCESSOR,
    ),
    Measure(
        "gain_in_sigmas",
        Family.PERFORMANCE,
        "sigma",
        Better.HIGHER,
        "The gain of the winner's retest in standard deviations of the baseline's test score over seeds.",
        performance.gain_in_sigmas,
    ),
    Measure(
        "test_score",
        Family.PERFORMANCE,
        "score",
        Better.TASK,
        "The mean score of the validation winner on the sealed test of fresh seeds.",
        performance.retest_score,
    ),
    Measure(
        "best_test_score",
        Family.PERFORMANCE,
        "score",
        Better.TASK,
        "The best hidden test score over all steps, which nobody could have chosen without seeing the test.",
        performance.best_test_score,
        PAPER,
    ),
    Measure(
        "step_success_rate",
        Family.RELIABILITY,
        "share",
        Better.HIGHER,
        "Steps whose code ran to its end, of the steps taken.",
        reliability.step_success_rate,
        PAPER,
    ),
    Measure(
        "step_completion_rate",
        Family.RELIABILITY,
        "share",
        Better.HIGHER,
        "Steps taken, of the steps in the budget.",
        reliability.step_completion_rate,
        PAPER,
    ),
    Measure(
        "valid_step_ratio",
        Family.RELIABILITY,
        "share",
        Better.HIGHER,
        "Steps with a score, of the steps taken.",
        reliability.valid_step_ratio,
        SUCCESSOR,
    ),
    Measure(
        "steps_ok", Family.RELIABILITY, "steps", Better.HIGHER, "Steps with a score.", reliability.count_of(Fate.OK)
    ),
    Measure(
        "steps_failed",
        Family.RELIABILITY,
        "steps",
        Better.LOWER,
        "Steps that crashed, or whose edit did not apply or was not allowed.",
        reliability.count_of(Fate.FAILED),
    ),
    Measure(
        "steps_over_limit",
        Family.RELIABILITY,
        "steps",
        Better.LOWER,
        "Steps that ran out of time or memory.",
        reliability.count_of(Fate.OVER_LIMIT),
    ),
    Measure(
        "steps_invalid",
        Family.RELIABILITY,
        "steps",
        Better.LOWER,
        "Steps that ran, but whose answers break a rule of the task or are no finite score.",
        reliability.count_of(Fate.INVALID),
    ),
    Measure(
        "infra_troubles",
        Family.RELIABILITY,
        "times",
        Better.NEITHER,
        "How often the machine failed and a step was tried again; counted against nobody.",
        reliability.troubles,
    ),
    Measure(
        "auc",
        Family.EFFICIENCY,
        "share",
        Better.HIGHER,
        "The mean over the budget of the best validation gain so far; after an early stop it stays where it was.",
        efficiency.auc,
        SUCCESSOR,
    ),
    Measure(
        "auc_unpadded",
        Family.EFFICIENCY,
        "share",
        Better.HIGHER,
        "The same over the steps taken.",
        efficiency.auc_unpadded,
        SUCCESSOR,
    ),
    Measure(
        "first_improvement_step",
        Family.EFFICIENCY,
        "step",
        Better.LOWER,
        "The first step that beat the baseline on validation.",
        efficiency.first_improvement_step,
        SUCCESSOR,
    ),
    Measure(
        "late_gain_fraction",
        Family.EFFICIENCY,
        "share",
        Better.NEITHER,
        "The share of the final validation gain that came in the second half of the steps.",
        efficiency.late_gain_fraction,
        SUCCESSOR,
    ),
    Measure(
        "best_step",
        Family.EFFICIENCY,
        "step",
        Better.NEITHER,
        "The first step with the best validation score.",
        efficiency.best_step,
        SUCCESSOR,
    ),
    Measure(
        "diversity",
        Family.EXPLORATION,
        "distance",
        Better.NEITHER,
        "The mean distance of all steps' code to their centroid: the paper's diversity, the successor's spread.",
        exploration.diversity,
        BOTH,
    ),
    Measure(
        "diversity_valid",
        Family.EXPLORATION,
        "distance",
        Better.NEITHER,
        "The same over the steps with a score.",
        exploration.diversity_valid,
        SUCCESSOR,
    ),
    Measure(
        "uniqueness",
        Family.EXPLORATION,
        "share",
        Better.NEITHER,
        "Clusters of steps (cosine distance, average linkage, the embedder's threshold) per step.",
        exploration.uniqueness,
        SUCCESSOR,
    ),
    Measure(
        "reach",
        Family.EXPLORATION,
        "distance",
        Better.NEITHER,
        "The distance between the baseline's code and that of the step farthest from it.",
        exploration.reach,
        SUCCESSOR,
    ),
    Measure(
        "effective_dimension",
        Family.EXPLORATION,
        "dimensions",
        Better.NEITHER,
        "The participation ratio of the steps' covariance: in how many directions they spread.",
        exploration.effective_dimension,
        SUCCESSOR,
    ),
    Measure(
        "val_test_gap",
        Family.HIDDEN_TEST,
        "share",
        Better.LOWER,
        "How far apart the winner's normalised improvements on validation and on the hidden test are.",
        hidden_test.val_test_gap,
        SUCCESSOR,
    ),
    Measure(
        "selection_regret",
        Family.HIDDEN_TEST,
        "share",
        Better.LOWER,
        "The best hidden test gain among the steps less that of the validation winner.",
        hidden_test.selection_regret,
    ),
    Measure(
        "optimism",
        Family.HIDDEN_TEST,
        "share",
        Better.LOWER,
        "How much larger the winner's gain over the baseline is on validation than on the hidden test.",
        hidden_test.optimism,
    ),
    Measure(
        "optimism_by_noise",
        Family.HIDDEN_TEST,
        "share",
        Better.NEITHER,
        "The optimism that choosing the best of these steps brings by the task's noise alone, simulated.",
        hidden_test.optimism_by_noise,
    ),
    Measure(
        "overfitting",
        Family.HIDDEN_TEST,
        "share",
        Better.LOWER,
        "The optimism beyond what noise explains.",
        hidden_test.overfitting,
    ),
    Measure(
        "overfitting_p",
        Family.HIDDEN_TEST,
        "probability",
        Better.NEITHER,
        "How often noise alone brings as much optimism as was seen.",
        hidden_test.overfitting_p,
    ),
    Measure(
        "tokens",
        Family.COST,
        "million tokens",
        Better.LOWER,
        "Input and output tokens of all proposals, and of what a program said after its last.",
        cost.tokens,
        BOTH,
    ),
    Measure("dollars", Family.COST, "dollars", Better.LOWER, "The price of these tokens.", cost.dollars),
    Measure(
        "proposing_seconds",
        Family.COST,
        "seconds",
        Better.LOWER,
        "Time in which proposals were made, and what a program took after its last.",
        cost.proposing_seconds,
    ),
    Measure(
        "training_seconds",
        Family.COST,
        "seconds",
        Better.LOWER,
        "Time of training and validation exams, the baseline's included.",
        cost.training_seconds,
    ),
    Measure(
        "sealed_exam_seconds",
        Family.COST,
        "seconds",
        Better.NEITHER,
        "Time of the hidden test's exams, which is the harness's own wish.",
        cost.sealed_exam_seconds,
    ),
    Measure(
        "waiting_seconds",
        Family.COST,
        "seconds",
        Better.NEITHER,
        "What is left of the wall time: retries, pauses between a stop and a resume, the harness itself.",
        cost.waiting_seconds,
    ),
    Measure(
        "wall_hours",
        Family.COST,
        "hours",
        Better.LOWER,
        "From the start of the run to the end of the agent's part; retests are not in it.",
        cost.wall_hours,
        BOTH,
    ),
)


def find_measure(name: str) -> Measure:
    """The measure of that name."""
    for measure in MEASURES:
        if measure.name == name:
            return measure
    raise BadRequest(f"There is no measure named '{name}'.", hint=f"One of: {', '.join(names())}.")


def names() -> Sequence[str]:
    """The names of all measures, in the catalogue's order."""
    return [measure.name for measure in MEASURES]
