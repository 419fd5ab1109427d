"""Timeouts of model calls: each call has a limit, and none continues long after the run's deadline."""

import math
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue

from fmlbench.models.chat import CallFailed, ChatModel, Reply, Request

GRACE_SECONDS = 5.0
"""The minimum timeout of a call that was started."""


def endless() -> float:
    """The seconds left of a run without a deadline."""
    return math.inf


@dataclass(frozen=True)
class Timely:
    """A model whose calls fail after a timeout or shortly after the run's deadline."""

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
    """Make a call with a total timeout, which also holds for servers that keep sending single bytes."""
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
