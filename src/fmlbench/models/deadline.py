"""Never wait for ever for an answer, nor for long after the run's time is over."""

import math
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue

from fmlbench.models.chat import CallFailed, ChatModel, Reply, Request

GRACE_SECONDS = 5.0
"""What a call that is begun gets in any case."""


def endless() -> float:
    """The seconds left of a run without a deadline."""
    return math.inf


@dataclass(frozen=True)
class Timely:
    """A model whose call has failed when it takes too long, or longer than there is time."""

    model: ChatModel
    call_seconds: float
    seconds_left: Callable[[], float] = field(default=endless, repr=False)

    @property
    def name(self) -> str:
        """The model's name."""
        return self.model.name

    def complete(self, request: Request) -> Reply:
        """Answer, or raise CallFailed."""
        seconds = min(self.call_seconds, max(self.seconds_left(), GRACE_SECONDS))
        return within(seconds, lambda: self.model.complete(request))


def within(seconds: float, call: Callable[[], Reply]) -> Reply:
    """Make a call, but wait for it no longer than this, even for a server that sends a byte now and then."""
    ending: SimpleQueue[Reply | BaseException] = SimpleQueue()

    def run() -> None:
        try:
            ending.put(call())
        except BaseException as error:
            ending.put(error)

    threading.Thread(target=run, daemon=True).start()
    try:
        end = ending.get(timeout=seconds)
    except Empty:
        raise CallFailed(f"no answer within {seconds:g} s", is_transient=True, may_cost=True) from None
    if isinstance(end, BaseException):
        raise end
    return end
