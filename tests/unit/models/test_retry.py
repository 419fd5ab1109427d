"""Retries while there is time, with a clock that only advances in sleep."""

from dataclasses import dataclass, field

import pytest

from fmlbench.core.agents import NoMoreCalls
from fmlbench.core.errors import ModelTrouble, ModelUnavailable
from fmlbench.models.call_log import CallLog, LoggedCall
from fmlbench.models.chat import CallKey, Message, Reply, Request
from fmlbench.models.client import GRACE_SECONDS, ModelClient
from fmlbench.models.connection import Connection
from fmlbench.models.gateway import Gateway
from fmlbench.models.in_process import IN_PROCESS, InProcess
from fmlbench.models.meter import Caps, Meter
from fmlbench.models.prices import free
from fmlbench.models.upstream import ConnectionLost, Incoming, Outgoing

REQUEST = Request(
    place=CallKey(step=1, purpose="test", turn=0),
    system="s",
    messages=(Message(role="user", text="u"),),
    max_output_tokens=9,
)


class Ready:
    name = "test/ready"

    def complete(self, request: Request) -> Reply:
        return Reply(text="A")


@dataclass
class World:
    """A clock, a deadline, and a model whose calls take time and fail a number of times."""

    deadline: float
    call_seconds: float
    failures: int = 99
    wait_seconds: float | None = None
    is_transient: bool = True
    now: float = 0.0
    reason: str = "silence"
    begun: list[float] = field(default_factory=list[float])
    timeouts: list[float | None] = field(default_factory=list[float | None])

    def send(self, outgoing: Outgoing) -> Incoming:
        self.begun.append(self.now)
        self.timeouts.append(outgoing.seconds)
        self.sleep(min(self.call_seconds, outgoing.seconds or 0.0))
        if len(self.begun) > self.failures:
            return InProcess(Ready()).send(outgoing)
        if self.wait_seconds is not None:
            return Incoming(429, {"retry-after": str(self.wait_seconds)}, iter([b"later"]))
        if not self.is_transient:
            return Incoming(401, {}, iter([b"wrong key"]))
        raise ConnectionLost(self.reason)

    def seconds_left(self) -> float:
        return self.deadline - self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds

    def client(self, *, has_answered: bool = True, pauses: tuple[float, ...] = (1.0, 2.0, 4.0)) -> ModelClient:
        log = CallLog()
        if has_answered:
            log.add(LoggedCall(key=CallKey(step=0, purpose="test", turn=0), path="", request="", status=200))
        gateway = Gateway(self, Meter(Caps(), free, lambda: log.spent, must_fit=True), log, clock=lambda: self.now)
        connection = Connection("test/slow", "slow", IN_PROCESS, self, free)
        return ModelClient(connection, gateway, pauses, self.seconds_left, self.sleep)


def test_no_attempt_is_begun_after_the_deadline():
    world = World(deadline=1500.0, call_seconds=600.0)
    with pytest.raises(NoMoreCalls, match="no time is left for another call after silence"):
        world.client().complete(REQUEST)
    assert world.begun == [0.0, 601.0, 1203.0]
    with pytest.raises(NoMoreCalls, match="no time is left"):
        world.client().complete(REQUEST)
    assert len(world.begun) == 3


def test_a_pause_beyond_the_deadline_is_not_waited_for():
    world = World(deadline=50.0, call_seconds=10.0, wait_seconds=40.0)
    with pytest.raises(NoMoreCalls):
        world.client().complete(REQUEST)
    assert (world.begun, world.now) == ([0.0], 10.0)


def test_a_run_that_never_got_an_answer_before_its_deadline_can_be_resumed():
    world = World(deadline=1500.0, call_seconds=600.0)
    with pytest.raises(ModelTrouble, match="test/slow did not answer after 3 tries: silence"):
        world.client(has_answered=False).complete(REQUEST)


def test_a_wrong_key_is_also_reported_at_the_deadline():
    with pytest.raises(ModelUnavailable):
        World(deadline=1.0, call_seconds=9.0, is_transient=False).client().complete(REQUEST)


def test_the_time_of_an_answer_includes_the_attempts_before_it():
    reply = World(deadline=900.0, call_seconds=10.0, failures=2).client().complete(REQUEST)
    assert (reply.attempts, reply.seconds) == (3, 10.0 + 1.0 + 10.0 + 2.0 + 10.0)


@pytest.mark.parametrize(("left", "given"), [(10_000.0, 600.0), (100.0, 100.0), (1.0, GRACE_SECONDS)])
def test_a_call_gets_no_more_time_than_is_left_and_a_little(left: float, given: float):
    world = World(deadline=left, call_seconds=0.0, failures=0)
    world.client().complete(REQUEST)
    assert world.timeouts == [given]


def test_a_reason_that_ends_with_a_dot_ends_its_sentence_once_and_the_hint_names_a_command():
    world = World(deadline=9.0, call_seconds=0.0, reason="the connection failed: Connection error.")
    with pytest.raises(ModelTrouble) as caught:
        world.client(pauses=()).complete(REQUEST)
    assert caught.value.message == "test/slow did not answer: the connection failed: Connection error."
    assert "test with 'fmlbench models test MODEL'" in caught.value.hint
