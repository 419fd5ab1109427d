"""How much of the budget gave results, and what became of the rest.

ok            a score
failed        the candidate's own fault: it crashed, or the edit did not apply or was not allowed
over limit    time or memory ran out
invalid       it ran, but its answers break a rule
infra         the machine failed; never a step of the agent's, so counted as troubles of the run
"""

from collections import Counter
from collections.abc import Callable
from enum import StrEnum

from fmlbench.core.evaluation import Outcome
from fmlbench.core.steps import Step
from fmlbench.metrics.measure import Missing, Value
from fmlbench.metrics.trace import Trace


class StepFate(StrEnum):
    """What became of a step, as far as counting goes."""

    OK = "ok"
    FAILED = "failed"
    OVER_LIMIT = "over limit"
    INVALID = "invalid"
    INFRA = "infra"


_FATES = {
    Outcome.OK: StepFate.OK,
    Outcome.CRASHED: StepFate.FAILED,
    Outcome.REJECTED: StepFate.FAILED,
    Outcome.TIMEOUT: StepFate.OVER_LIMIT,
    Outcome.OUT_OF_MEMORY: StepFate.OVER_LIMIT,
    Outcome.INVALID: StepFate.INVALID,
    Outcome.INFRA: StepFate.INFRA,
}


def step_outcome(step: Step) -> StepFate:
    """What became of a step; an outcome of ok without a finite score is invalid, never skipped."""
    fate = _FATES[step.evaluation.outcome]
    return StepFate.INVALID if fate is StepFate.OK and step.score is None else fate


def step_outcomes(trace: Trace) -> Counter[StepFate]:
    """How many proposed steps met which fate."""
    return Counter(step_outcome(step) for step in trace.proposed)


def step_success_rate(trace: Trace) -> Value:
    """Steps whose code ran to its end, of all steps taken."""
    ran = sum(step_outcome(step) in {StepFate.OK, StepFate.INVALID} for step in trace.proposed)
    return ran / len(trace.proposed) if trace.proposed else Missing("no step was taken")


def step_completion_rate(trace: Trace) -> Value:
    """Steps taken, of the budget."""
    budget = trace.spec.budget.steps
    return len(trace.proposed) / budget if budget else Missing("the budget has no steps")


def valid_step_ratio(trace: Trace) -> Value:
    """Steps with a score, of all steps taken."""
    return len(trace.valid) / len(trace.proposed) if trace.proposed else Missing("no step was taken")


def count_of(fate: StepFate) -> Callable[[Trace], Value]:
    """The measure that counts steps of one fate."""
    return lambda trace: float(step_outcomes(trace)[fate])


def troubles(trace: Trace) -> Value:
    """How often the machine failed."""
    return float(trace.troubles)
