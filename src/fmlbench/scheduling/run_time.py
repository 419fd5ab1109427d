"""The execution time of a run according to its logs: proposing, training, exams and retests.

It excludes pauses between stop and resume, and work lost when a process was killed.
"""

from collections.abc import Sequence
from datetime import datetime
from itertools import pairwise
from operator import attrgetter

from fmlbench.core.steps import usages_of
from fmlbench.records.events import Event, NoteMade, Retested, StepFinished, TestScored

_SEALED = (TestScored, Retested)


def execution_seconds_of(events: Sequence[Event]) -> float:
    """The execution time of the work in these events, in seconds."""
    steps = [event.step for event in events if isinstance(event, StepFinished)]
    notes = [event.note for event in events if isinstance(event, NoteMade)]
    tried = {step.index: step.evaluation.seconds for step in steps}
    proposing = sum(usage.seconds for usage in usages_of(steps, notes))
    return proposing + sum(tried.values()) + _sealed_seconds(events, tried)


def _sealed_seconds(events: Sequence[Event], tried: dict[int, float]) -> float:
    """The time of hidden exams and retests.

    An evaluation records only the time of its exam. A retest also trains, as does a hidden exam after a resume; two
    retests run in parallel, and the baseline's may come from the cache with the times of another run. So the time since
    the previous event is counted, up to the time of the exam plus the step; the rest was a pause.
    """
    total = 0.0
    for before, event in pairwise(sorted(events, key=attrgetter("at"))):
        if isinstance(event, _SEALED):
            longest = event.evaluation.seconds + tried.get(event.index, 0.0)
            total += min(_passed(before, event), longest)
    return total


def _passed(before: Event, after: Event) -> float:
    return (datetime.fromisoformat(after.at) - datetime.fromisoformat(before.at)).total_seconds()
