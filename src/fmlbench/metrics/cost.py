"""What the run cost: tokens, dollars, and time by what it went into."""

from fmlbench.metrics.measure import Missing, Value
from fmlbench.metrics.trace import Trace


def tokens(trace: Trace) -> float:
    """All tokens of proposing, in millions."""
    return sum(usage.input_tokens + usage.output_tokens for usage in trace.usages) / 1e6


def dollars(trace: Trace) -> Value:
    """The price of all proposals."""
    prices = [usage.dollars for usage in trace.usages]
    known = [price for price in prices if price is not None]
    return float(sum(known)) if len(known) == len(prices) else Missing("the price of a step is not known")


def proposing_seconds(trace: Trace) -> float:
    """Time in which proposals were made."""
    return sum(usage.seconds for usage in trace.usages)


def training_seconds(trace: Trace) -> float:
    """Time of training and validation exams, the baseline's included."""
    return sum(step.evaluation.seconds for step in trace.steps)


def sealed_exam_seconds(trace: Trace) -> float:
    """Time of the hidden test's exams."""
    return sum(evaluation.seconds for evaluation in trace.tests.values())


def waiting_seconds(trace: Trace) -> Value:
    """What is left of the wall time: retries, pauses between a stop and a resume, the harness itself."""
    if trace.wall_seconds is None:
        return Missing("the run is not over")
    busy = proposing_seconds(trace) + training_seconds(trace) + sealed_exam_seconds(trace)
    return max(trace.wall_seconds - busy, 0.0)


def wall_hours(trace: Trace) -> Value:
    """From the start of the run to the end of the agent's part."""
    return Missing("the run is not over") if trace.wall_seconds is None else trace.wall_seconds / 3600
