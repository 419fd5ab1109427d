"""Ask again where a call failed, and never wait for ever."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue

from fmlbench.core.errors import FmlbenchError, ModelTrouble, ModelUnavailable
from fmlbench.llm.chat import CallFailed, ChatModel, Reply, Request

PAUSES_SECONDS = (1.0, 2.0, 4.0, 8.0, 16.0)
LONGEST_PAUSE_SECONDS = 120.0


@dataclass(frozen=True)
class Patient:
    """A model that is asked again after failures that pass: limits of rate, overload, lost or garbled answers."""

    model: ChatModel
    call_seconds: float
    """A call that takes longer has failed."""
    pauses: tuple[float, ...] = PAUSES_SECONDS
    """Before each further try; a provider may ask for longer ones."""
    sleep: Callable[[float], None] = field(default=time.sleep, repr=False)
    clock: Callable[[], float] = field(default=time.monotonic, repr=False)

    @property
    def name(self) -> str:
        """The model's name."""
        return self.model.name

    def complete(self, request: Request) -> Reply:
        """Answer, or raise ModelTrouble when patience is at its end, ModelUnavailable where it would not help."""
        for attempt, pause in enumerate((*self.pauses, None), start=1):
            started = self.clock()
            try:
                reply = within(self.call_seconds, lambda: self.model.complete(request))
                return reply.model_copy(update={"seconds": self.clock() - started, "attempts": attempt})
            except CallFailed as failure:
                wait = max(pause or 0.0, failure.wait_seconds or 0.0)
                if pause is None or not failure.is_transient or wait > LONGEST_PAUSE_SECONDS:
                    raise self._trouble(failure, attempt) from failure
            self.sleep(wait)
        raise AssertionError  # the last pause is None, which ends the loop

    def _trouble(self, failure: CallFailed, attempt: int) -> FmlbenchError:
        tries = f" after {attempt} tries" if attempt > 1 else ""
        hint = failure.hint or "Look whether the provider works and is paid; 'fmlbench models' tests a key."
        kind = ModelTrouble if failure.is_transient else ModelUnavailable
        return kind(f"{self.name} did not answer{tries}: {failure.reason}.", hint=hint)


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
        raise CallFailed(f"no answer within {seconds:g} s", is_transient=True) from None
    if isinstance(end, BaseException):
        raise end
    return end
