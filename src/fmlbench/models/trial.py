"""Try a model out: one short question, to see that its key, its name and its price are right."""

from pathlib import Path

from fmlbench.models.chat import CallKey, Message, Reply, Request
from fmlbench.models.client import open_model
from fmlbench.models.deadline import Timely
from fmlbench.models.metering import Caps, Metered, Spending
from fmlbench.models.retry import Patient

_PAUSES = (1.0, 2.0)


def try_out(name: str, models: Path) -> Reply:
    """Ask a model to say a word, with little patience."""
    opened = open_model(name, models)
    metered = Metered(Timely(opened.chat, opened.call_seconds), opened.price, Caps(), Spending)
    return Patient(metered, pauses=_PAUSES).complete(
        Request(
            place=CallKey(step=1, purpose="try", turn=0),
            system="Answer with one word.",
            messages=(Message(role="user", text="Say hello."),),
            # Models that think before they speak need room for that.
            max_output_tokens=1000,
        )
    )
