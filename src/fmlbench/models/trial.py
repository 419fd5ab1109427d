"""Test a model with one short request: key, name and price."""

from pathlib import Path

from fmlbench.models.chat import CallKey, Message, Reply, Request
from fmlbench.models.client import open_model
from fmlbench.models.deadline import Timely
from fmlbench.models.metering import Caps, Metered, Spending
from fmlbench.models.retry import Patient

_PAUSES = (1.0, 2.0)


def try_out(name: str, models: Path) -> Reply:
    """Send a short request, with few retries."""
    opened = open_model(name, models)
    metered = Metered(Timely(opened.chat, opened.call_seconds), opened.price, Caps(), Spending)
    return Patient(metered, pauses=_PAUSES).complete(
        Request(
            place=CallKey(step=1, purpose="try", turn=0),
            system="Answer with one word.",
            messages=(Message(role="user", text="Say hello."),),
            # Reasoning models need tokens for reasoning.
            max_output_tokens=1000,
        )
    )
