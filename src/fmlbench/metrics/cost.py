"""The cost of a run: tokens, dollars, and time by activity."""

from fmlbench.metrics.measure import BOTH, Better, Measure, MeasureFamily, Missing, Value
from fmlbench.metrics.trace import Trace


def tokens(trace: Trace) -> float:
    """All tokens of proposing, in millions."""
    return sum(usage.input_tokens + usage.output_tokens for usage in trace.usages) / 1e6


def dollars(trace: Trace) -> Value:
    """The price of all proposals."""
    prices = [usage.dollars for usage in trace.usages]
    known = [price for price in prices if price is not None]
    return float(sum(known)) if len(known) == len(prices) else Missing("the price of a step is unknown")


def proposing_seconds(trace: Trace) -> float:
    """Time spent on proposals."""
    return sum(usage.seconds for usage in trace.usages)


def training_seconds(trace: Trace) -> float:
    """Time spent on training and validation exams, including the baseline's."""
    return sum(step.evaluation.seconds for step in trace.steps)


def sealed_exam_seconds(trace: Trace) -> float:
    """Time spent on hidden test exams."""
    return sum(evaluation.seconds for evaluation in trace.tests.values())


def waiting_seconds(trace: Trace) -> Value:
    """The rest of the wall time: retries, pauses between stop and resume, and the harness itself."""
    if trace.wall_seconds is None:
        return Missing("the run is not finished")
    busy = proposing_seconds(trace) + training_seconds(trace) + sealed_exam_seconds(trace)
    return max(trace.wall_seconds - busy, 0.0)


def wall_hours(trace: Trace) -> Value:
    """Time from the start of the run to the end of the search."""
    return Missing("the run is not finished") if trace.wall_seconds is None else trace.wall_seconds / 3600


MEASURES = (
    Measure(
        "tokens",
        MeasureFamily.COST,
        "million tokens",
        Better.LOWER,
        "Input and output tokens of all proposals, and of a program's calls after its last proposal.",
        tokens,
        BOTH,
    ),
    Measure("dollars", MeasureFamily.COST, "dollars", Better.LOWER, "The price of these tokens.", dollars),
    Measure(
        "proposing_seconds",
        MeasureFamily.COST,
        "seconds",
        Better.LOWER,
        "Time spent on proposals, and by a program after its last proposal.",
        proposing_seconds,
    ),
    Measure(
        "training_seconds",
        MeasureFamily.COST,
        "seconds",
        Better.LOWER,
        "Time spent on training and validation exams, including the baseline's.",
        training_seconds,
    ),
    Measure(
        "sealed_exam_seconds",
        MeasureFamily.COST,
        "seconds",
        Better.NEITHER,
        "Time spent on hidden test exams.",
        sealed_exam_seconds,
    ),
    Measure(
        "waiting_seconds",
        MeasureFamily.COST,
        "seconds",
        Better.NEITHER,
        "The rest of the wall time: retries, pauses between stop and resume, and the harness itself.",
        waiting_seconds,
    ),
    Measure(
        "wall_hours",
        MeasureFamily.COST,
        "hours",
        Better.LOWER,
        "Time from the start of the run to the end of the search, without retests.",
        wall_hours,
        BOTH,
    ),
)
