"""How long a run was played is worked out from its logs, and no pause counts."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from fmlbench.core.evaluation import Evaluation, Outcome
from fmlbench.core.notes import UsageRecorded
from fmlbench.core.usage import Usage
from fmlbench.records.events import Event, NoteMade, Retested, RunFinished
from fmlbench.records.events import TestScored as Scored
from fmlbench.scheduling.cost import execution_seconds_of
from fmlbench.scheduling.study import Retry, SweepCaps
from fmlbench.scheduling.sweep import Sweep
from tests.handwritten_runs import baseline, spec_of, started, step
from tests.handwritten_studies import Clock, Stillborn, log, planned, study

DAY = 24 * 3600


def logged(*timed: tuple[float, Event]) -> Sequence[Event]:
    """Events at so many seconds after the run began; both logs, one after the other."""
    stamped = [event.model_copy(update={"at": _clock(second)}) for second, event in timed]
    return sorted(stamped, key=lambda event: isinstance(event, Scored | Retested))


def _clock(second: float) -> str:
    days, rest = divmod(second, DAY)
    minutes, seconds = divmod(rest, 60)
    return f"2026-01-{1 + int(days):02d}T{int(minutes // 60):02d}:{int(minutes % 60):02d}:{seconds:06.3f}+00:00"


def hidden(index: int, seconds: float) -> Scored:
    return Scored(index=index, evaluation=Evaluation(outcome=Outcome.OK, score=0.5, seconds=seconds))


def again(index: int, seed: int, seconds: float) -> Retested:
    return Retested(index=index, seed=seed, evaluation=Evaluation(outcome=Outcome.OK, score=0.5, seconds=seconds))


START = (0.0, started(spec_of()))


def test_steps_count_as_long_as_they_took_and_were_thought_about():
    # The baseline took 20 s; the step 2 s, and 1 s to propose; 4 s were spent on no step.
    spent = NoteMade(note=UsageRecorded(step=1, usage=Usage(seconds=4)))
    assert (
        execution_seconds_of(logged(START, (21, baseline(seconds=20)), (500, step(1, 0.6)), (600, spent))) == 20 + 3 + 4
    )


def test_hidden_exams_and_retests_count_with_the_training_that_they_need():
    events = logged(
        START,
        (20, baseline(seconds=20)),
        (23, hidden(0, 2.5)),  # 3 s have passed
        (24, RunFinished(reason="done")),
        (42, again(0, 0, 2)),  # it trained for 16 s and sat an exam for 2: 18 s have passed
        (61, again(0, 1, 2)),  # 19 s
    )
    assert execution_seconds_of(events) == 20 + 3 + 18 + 19


def test_retests_beside_each_other_count_once():
    events = logged(START, (20, baseline(seconds=20)), (40, again(0, 0, 2)), (41, again(0, 1, 2)))
    assert execution_seconds_of(events) == 20 + 20 + 1


def test_a_retest_from_the_cache_counts_nothing_whatever_it_took_when_it_was_made():
    events = logged(START, (20, baseline(seconds=20)), (20, again(0, 0, 300)))
    assert execution_seconds_of(events) == 20


def test_a_pause_before_a_retest_does_not_count():
    events = logged(START, (20, baseline(seconds=20)), (DAY, again(0, 0, 2)))
    # Training and exam cannot have taken more than the step itself and the exam.
    assert execution_seconds_of(events) == 20 + 22


@pytest.mark.parametrize(("cap_seconds", "is_reached"), [(59, True), (60, True), (61, False)])
def test_the_status_and_the_cap_on_hours_count_the_same(tmp_path: Path, cap_seconds: float, is_reached: bool):
    plan = planned(study(seeds=1, caps=SweepCaps(hours=cap_seconds / 3600), retry=Retry(failures=1)), tmp_path)
    log(
        plan.runs[0],
        logged(START, (20, baseline(seconds=20)), (23, hidden(0, 2.5)), (42, again(0, 0, 2)), (60, again(0, 1, 2))),
    )
    clock = Clock()
    sweep = Sweep(plan, Stillborn({}), clock=clock, sleep=clock.sleep)
    # 20 + 3 + 19 + 18
    assert sweep.status().hours * 3600 == pytest.approx(60)
    assert ("hours" in sweep.run()) == is_reached
