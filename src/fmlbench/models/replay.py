"""Replay the answers of another run."""

from collections.abc import Mapping
from dataclasses import dataclass

from fmlbench.core.agents import NoMoreCalls
from fmlbench.models.chat import CallKey, Reply, Request
from fmlbench.models.exchanges import Exchange


@dataclass(frozen=True)
class Replayed:
    """Answers from another run's log at no cost.

    Answers are found by their key. The request may differ slightly from the original, because scores differ in the last
    digits between machines. The reply contains the digest of the original request.
    """

    name: str
    exchanges: Mapping[CallKey, Exchange]

    def complete(self, request: Request) -> Reply:
        """Answer, or raise NoMoreCalls where the log ends."""
        found = self.exchanges.get(request.place)
        if found is None:
            place = f"step {request.place.step}, {request.place.purpose}, turn {request.place.turn}"
            raise NoMoreCalls(f"the replayed run has no answer for {place}")
        return found.reply.model_copy(update={"replays": found.request.digest, "seconds": 0.0})
