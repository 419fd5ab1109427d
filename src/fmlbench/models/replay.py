"""Answer with what a model answered in another run."""

from collections.abc import Mapping
from dataclasses import dataclass

from fmlbench.core.agents import NoMoreCalls
from fmlbench.models.chat import CallKey, Reply, Request
from fmlbench.models.exchanges import Exchange


@dataclass(frozen=True)
class Replayed:
    """A record that answers like the model it was made with, for nothing.

    Answers are found by their place in the search. What is asked there may differ a little from what was asked then:
    scores are not the same to the last digit on every machine. The answer says which request it was given to.
    """

    name: str
    exchanges: Mapping[CallKey, Exchange]

    def complete(self, request: Request) -> Reply:
        """Answer, or raise NoMoreCalls where the record ends."""
        kept = self.exchanges.get(request.place)
        if kept is None:
            place = f"step {request.place.step}, {request.place.purpose}, turn {request.place.turn}"
            raise NoMoreCalls(f"the replayed run holds no answer for {place}")
        return kept.reply.model_copy(update={"replays": kept.request.digest, "seconds": 0.0})
