import math
from dataclasses import dataclass, field

from fmlbench.core.evaluation import Evaluation, Outcome
from fmlbench.core.steps import Move, Operator, Step
from fmlbench.core.usage import Usage
from fmlbench.engine.budget import Countdown


@dataclass
class Life:
    """A clock, and scripted steps."""

    now: float = 1000.0
    steps: list[Step] = field(default_factory=list[Step])

    def take_step(self, proposing: float, experimenting: float) -> None:
        self.now += experimenting
        self.steps.append(
            Step(
                index=len(self.steps),
                move=Move(operator=Operator.DRAFT),
                idea="",
                snapshot="s",
                evaluation=Evaluation(outcome=Outcome.CRASHED, seconds=experimenting),
                usage=Usage(seconds=proposing),
            )
        )


def countdown(life: Life, hours: float | None) -> Countdown:
    return Countdown(hours, lambda: life.steps, lambda: life.now)


def test_a_run_without_hours_has_no_time_limit():
    assert countdown(Life(), None).seconds_left() == math.inf


def test_time_runs_while_a_step_is_proposed_and_counts_as_recorded_afterwards():
    life = Life()
    life.take_step(0.0, 500.0)
    clock = countdown(life, 1.0)
    assert clock.seconds_left() == 3600.0
    life.now += 100.0
    assert clock.seconds_left() == 3500.0
    # A hidden test, which is not counted, comes before the next step.
    life.take_step(100.0, 1500.0)
    life.now += 777.0
    assert clock.seconds_left() == 2000.0


def test_a_spent_budget_stays_spent():
    life = Life()
    life.take_step(0.0, 500.0)
    clock = countdown(life, 1.0)
    clock.seconds_left()
    life.now += 3600.0
    assert clock.seconds_left() == 0.0
    life.take_step(10.0, 0.0)
    assert clock.seconds_left() == 0.0
