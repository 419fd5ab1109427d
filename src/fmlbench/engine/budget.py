"""What a run has spent of its budget."""

from collections.abc import Sequence

from fmlbench.core.run import Budget
from fmlbench.core.steps import SPENT, Note, Step, usages_of


def hours_spent(steps: Sequence[Step], notes: Sequence[Note] = ()) -> float:
    """Hours of proposing and experimenting, and of what notes say was spent on no step; the baseline is free."""
    besides = usages_of((), (note for note in notes if note.kind == SPENT))
    on_steps = sum(step.evaluation.seconds + step.usage.seconds for step in steps[1:])
    return (on_steps + sum(usage.seconds for usage in besides)) / 3600


def dollars_spent(steps: Sequence[Step]) -> float:
    """Dollars as far as prices are known."""
    return sum(step.usage.dollars or 0.0 for step in steps)


def tokens_spent(steps: Sequence[Step]) -> int:
    """Tokens that models read and wrote."""
    return sum(step.usage.input_tokens + step.usage.output_tokens for step in steps)


def is_spent(budget: Budget, steps: Sequence[Step]) -> bool:
    """Whether any limit is reached."""
    if len(steps) - 1 >= budget.steps:
        return True
    if budget.hours is not None and hours_spent(steps) >= budget.hours:
        return True
    if budget.tokens is not None and tokens_spent(steps) >= budget.tokens:
        return True
    return budget.dollars is not None and dollars_spent(steps) >= budget.dollars
