"""How many steps produced a score, and why the others did not.

ok            it has a score
failed        the candidate crashed, or its edit did not apply or was not allowed
over limit    time or memory ran out
invalid       it ran, but its answers break a rule
infra         infrastructure failure; retried and not counted as a step of the agent
"""

from collections import Counter
from collections.abc import Callable
from enum import StrEnum

from fmlbench.core.evaluation import Outcome
from fmlbench.core.steps import Step
from fmlbench.metrics.measure import PAPER, SUCCESSOR, Better, Measure, MeasureFamily, Missing, Value
from fmlbench.metrics.trace import Trace


class OutcomeClass(StrEnum):
    """The category of a step's outcome."""

    OK = "ok"
    FAILED = "failed"
    OVER_LIMIT = "over limit"
    INVALID = "invalid"
    INFRA = "infra"


_CLASSES = {
    Outcome.OK: OutcomeClass.OK,
    Outcome.CRASHED: OutcomeClass.FAILED,
    Outcome.REJECTED: OutcomeClass.FAILED,
    Outcome.TIMEOUT: OutcomeClass.OVER_LIMIT,
    Outcome.OUT_OF_MEMORY: OutcomeClass.OVER_LIMIT,
    Outcome.INVALID: OutcomeClass.INVALID,
    Outcome.INFRA: OutcomeClass.INFRA,
}


def step_outcome(step: Step) -> OutcomeClass:
    """The category of a step; an ok outcome without a finite score counts as invalid."""
    outcome_class = _CLASSES[step.evaluation.outcome]
    return OutcomeClass.INVALID if outcome_class is OutcomeClass.OK and step.score is None else outcome_class


def step_outcomes(trace: Trace) -> Counter[OutcomeClass]:
    """The number of proposed steps per category."""
    return Counter(step_outcome(step) for step in trace.proposed)


def step_success_rate(trace: Trace) -> Value:
    """The share of the steps taken whose code ran to completion."""
    ran = sum(step_outcome(step) in {OutcomeClass.OK, OutcomeClass.INVALID} for step in trace.proposed)
    return ran / len(trace.proposed) if trace.proposed else Missing("no step was taken")


def step_completion_rate(trace: Trace) -> Value:
    """The share of the budgeted steps that were taken."""
    budget = trace.spec.budget.steps
    return len(trace.proposed) / budget if budget else Missing("the budget has no steps")


def valid_step_ratio(trace: Trace) -> Value:
    """The share of the steps taken that have a score."""
    return len(trace.valid) / len(trace.proposed) if trace.proposed else Missing("no step was taken")


def count_of(outcome_class: OutcomeClass) -> Callable[[Trace], Value]:
    """A measure that counts the steps of one category."""
    return lambda trace: float(step_outcomes(trace)[outcome_class])


def troubles(trace: Trace) -> Value:
    """The number of infrastructure failures."""
    return float(trace.troubles)


MEASURES = (
    Measure(
        "step_success_rate",
        MeasureFamily.RELIABILITY,
        "share",
        Better.HIGHER,
        "Share of the steps taken whose code ran to completion.",
        step_success_rate,
        PAPER,
    ),
    Measure(
        "step_completion_rate",
        MeasureFamily.RELIABILITY,
        "share",
        Better.HIGHER,
        "Share of the budgeted steps that were taken.",
        step_completion_rate,
        PAPER,
    ),
    Measure(
        "valid_step_ratio",
        MeasureFamily.RELIABILITY,
        "share",
        Better.HIGHER,
        "Share of the steps taken that have a score.",
        valid_step_ratio,
        SUCCESSOR,
    ),
    Measure(
        "steps_ok",
        MeasureFamily.RELIABILITY,
        "steps",
        Better.HIGHER,
        "Steps with a score.",
        count_of(OutcomeClass.OK),
    ),
    Measure(
        "steps_failed",
        MeasureFamily.RELIABILITY,
        "steps",
        Better.LOWER,
        "Steps that crashed, or whose edit did not apply or was not allowed.",
        count_of(OutcomeClass.FAILED),
    ),
    Measure(
        "steps_over_limit",
        MeasureFamily.RELIABILITY,
        "steps",
        Better.LOWER,
        "Steps that ran out of time or memory.",
        count_of(OutcomeClass.OVER_LIMIT),
    ),
    Measure(
        "steps_invalid",
        MeasureFamily.RELIABILITY,
        "steps",
        Better.LOWER,
        "Steps that ran, but whose answers break a rule of the task or have no finite score.",
        count_of(OutcomeClass.INVALID),
    ),
    Measure(
        "infra_troubles",
        MeasureFamily.RELIABILITY,
        "times",
        Better.NEITHER,
        "Number of infrastructure failures after which a step was retried; they do not count against the agent.",
        troubles,
    ),
)
