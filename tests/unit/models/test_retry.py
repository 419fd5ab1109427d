"""Retries while there is time, with a clock that only advances in sleep."""

from dataclasses import dataclass, field

import pytest

from fmlbench.core.agents import NoMoreCalls
from fmlbench.core.errors import ModelTrouble, ModelUnavailable
from fmlbench.models import deadline as deadlines
from fmlbench.models.chat import CallFailed, CallKey, Message, Reply, Request
from fmlbench.models.deadline import GRACE_SECONDS, Timely
from fmlbench.models.retry import Patient

REQUEST = Request(
    place=CallKey(step=1, purpose="test", turn=0),
    system="s",
    messages=(Message(role="user", text="u"),),
    max_output_tokens=9,
)


@dataclass
class World:
    """A clock, a deadline, and a model whose calls take time and fail a number of times."""

    deadline: float
    call_seconds: float
    failures: int = 99
    wait_seconds: float | None = None
    is_transient: bool = True
    now: float = 0.0
    name: str = "test/slow"
    begun: list[float] = field(default_factory=list[float])

    def complete(self, request: Request) -> Reply:
        self.begun.append(self.now)
        self.sleep(min(self.call_seconds, max(self.seconds_left(), GRACE_SECONDS)))
        if len(self.begun) <= self.failures:
            raise CallFailed("silence", is_transient=self.is_transient, wait_seconds=self.wait_seconds)
        return Reply(text="A")

    def seconds_left(self) -> float:
        return self.deadline - self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds

    def patient(self, *, has_answered: bool = True) -> Patient:
        return Patient(
            self, (1.0, 2.0, 4.0), self.seconds_left, lambda: has_answered, sleep=self.sleep, clock=lambda: self.now
        )


def test_no_attempt_is_begun_after_the_deadline():
    world = World(deadline=1500.0, call_seconds=600.0)
    with pytest.raises(NoMoreCalls, match="no time is left for another call after silence"):
        world.patient().complete(REQUEST)
    assert world.begun == [0.0, 601.0, 1203.0]
    with pytest.raises(NoMoreCalls, match="no time is left"):
        world.patient().complete(REQUEST)
    assert len(world.begun) == 3


def test_a_pause_beyond_the_deadline_is_not_waited_for():
    world = World(deadline=50.0, call_seconds=10.0, wait_seconds=40.0)
    with pytest.raises(NoMoreCalls):
        world.patient().complete(REQUEST)
    assert (world.begun, world.now) == ([0.0], 10.0)


def test_a_run_that_never_got_an_answer_before_its_deadline_can_be_resumed():
    world = World(deadline=1500.0, call_seconds=600.0)
    with pytest.raises(ModelTrouble, match="test/slow did not answer after 3 tries: silence"):
        world.patient(has_answered=False).complete(REQUEST)


def test_a_wrong_key_is_also_reported_at_the_deadline():
    with pytest.raises(ModelUnavailable):
        World(deadline=1.0, call_seconds=9.0, is_transient=False).patient().complete(REQUEST)


def test_the_time_of_an_answer_includes_the_attempts_before_it():
    reply = World(deadline=900.0, call_seconds=10.0, failures=2).patient().complete(REQUEST)
    assert (reply.attempts, reply.seconds) == (3, 10.0 + 1.0 + 10.0 + 2.0 + 10.0)


@pytest.mark.parametrize(("left", "given"), [(10_000.0, 600.0), (100.0, 100.0), (1.0, GRACE_SECONDS)])
def test_a_call_gets_no_more_time_than_is_left_and_a_little(left: float, given: float, monkeypatch: pytest.MonkeyPatch):
    waited: list[float] = []

    def wait(seconds: float, _: object) -> Reply:
        waited.append(seconds)
        return Reply(text="A")

    monkeypatch.setattr(deadlines, "within", wait)
    Timely(World(deadline=0.0, call_seconds=0.0), 600.0, lambda: left).complete(REQUEST)
    assert waited == [given]


def test_a_reason_that_ends_with_a_dot_ends_its_sentence_once_and_the_hint_names_a_command():
    class Unreachable:
        name = "test/away"

        def complete(self, request: Request) -> Reply:
            raise CallFailed("the connection failed: Connection error.", is_transient=True)

    with pytest.raises(ModelTrouble) as caught:
        Patient(Unreachable(), ()).complete(REQUEST)
    assert caught.value.message == "test/away did not answer: the connection failed: Connection error."
    assert "test with 'fmlbench models test MODEL'" in caught.value.hint
