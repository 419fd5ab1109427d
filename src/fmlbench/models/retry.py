"""Retry failed calls while there is time."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from fmlbench.core.agents import NoMoreCalls
from fmlbench.core.errors import FmlbenchError, ModelTrouble, ModelUnavailable
from fmlbench.models.chat import CallFailed, ChatModel, Reply, Request
from fmlbench.models.deadline import endless

PAUSES_SECONDS = (1.0, 2.0, 4.0, 8.0, 16.0)
LONGEST_PAUSE_SECONDS = 120.0


@dataclass(frozen=True)
class Patient:
    """Retries transient failures: rate limits, overload, lost or malformed answers."""

    model: ChatModel
    pauses: tuple[float, ...] = PAUSES_SECONDS
    """Before each retry; a provider may request longer ones."""
    seconds_left: Callable[[], float] = field(default=endless, repr=False)
    """No attempt starts at 0."""
    has_answered: Callable[[], bool] = field(default=lambda: False, repr=False)
    """Whether the run ever got an answer; if not, running out of time counts as a failure of the provider."""
    sleep: Callable[[float], None] = field(default=time.sleep, repr=False)
    clock: Callable[[], float] = field(default=time.monotonic, repr=False)

    @property
    def name(self) -> str:
        """The model's name."""
        return self.model.name

    def complete(self, request: Request) -> Reply:
        """Answer, or raise ModelTrouble after the last retry, ModelUnavailable if a retry would not help.

        Raises NoMoreCalls when the time is over.
        """
        if self.seconds_left() <= 0:
            raise NoMoreCalls("no time is left for another call")
        started = self.clock()
        for attempt, pause in enumerate((*self.pauses, None), start=1):
            try:
                reply = self.model.complete(request)
                return reply.model_copy(update={"seconds": self.clock() - started, "attempts": attempt})
            except CallFailed as failure:
                wait = max(pause or 0.0, failure.wait_seconds or 0.0)
                is_late = wait >= self.seconds_left()
                if is_late and failure.is_transient and self.has_answered():
                    raise NoMoreCalls(f"no time is left for another call after {failure.reason}") from failure
                if is_late or pause is None or not failure.is_transient or wait > LONGEST_PAUSE_SECONDS:
                    raise self._trouble(failure, attempt) from failure
            self.sleep(wait)
        raise AssertionError  # the last pause is None, which ends the loop

    def _trouble(self, failure: CallFailed, attempt: int) -> FmlbenchError:
        tries = f" after {attempt} tries" if attempt > 1 else ""
        hint = failure.hint or "Check the provider's status and your account; test with 'fmlbench models test MODEL'."
        kind = ModelTrouble if failure.is_transient else ModelUnavailable
        return kind(f"{self.name} did not answer{tries}: {failure.reason}.", hint=hint)
