"""How long a run was played, as its logs tell it: proposing, training, exams and retests.

Pauses between a stop and a resume are left out, and so is what was lost with a player that was killed.
"""

from collections.abc import Sequence
from datetime import datetime
from itertools import pairwise
from operator import attrgetter

from fmlbench.core.steps import usages_of
from fmlbench.records.events import Event, NoteMade, Retested, StepFinished, TestScored

_SEALED = (TestScored, Retested)


def seconds_played(events: Sequence[Event]) -> float:
    """Seconds that went into what these events tell of."""
    steps = [event.step for event in events if isinstance(event, StepFinished)]
    notes = [event.note for event in events if isinstance(event, NoteMade)]
    tried = {step.index: step.evaluation.seconds for step in steps}
    proposing = sum(usage.seconds for usage in usages_of(steps, notes))
    return proposing + sum(tried.values()) + _sealed_seconds(events, tried)


def _sealed_seconds(events: Sequence[Event], tried: dict[int, float]) -> float:
    """Of hidden exams and retests.

    An evaluation tells how long its exam took. A retest also trains anew, as does a hidden exam after a resume; retests
    go on two at a time, and the baseline's may come from the cache with the figures of another run. So what has passed
    since the event before is counted, but no more than the exam and the step itself took: the rest was a pause.
    """
    total = 0.0
    for before, event in pairwise(sorted(events, key=attrgetter("at"))):
        if isinstance(event, _SEALED):
            longest = event.evaluation.seconds + tried.get(event.index, 0.0)
            total += min(_passed(before, event), longest)
    return total


def _passed(before: Event, after: Event) -> float:
    return (datetime.fromisoformat(after.at) - datetime.fromisoformat(before.at)).total_seconds()
