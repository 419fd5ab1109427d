"""Which steps a search can build on, and which it should mend."""

import math

from fmlbench.core.evaluation import Outcome
from fmlbench.core.steps import Step


def has_score(step: Step) -> bool:
    """Whether the step ended with a number; NaN is none."""
    return step.score is not None and not math.isnan(step.score)


def has_failed(step: Step) -> bool:
    """Whether the candidate itself went wrong, not the machine it ran on."""
    return not has_score(step) and step.evaluation.outcome is not Outcome.INFRA
