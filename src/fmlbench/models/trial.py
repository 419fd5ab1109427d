"""Test a model with one short request: key, name and price."""

from pathlib import Path

from fmlbench.models.call_log import CallLog
from fmlbench.models.chat import CallKey, Message, Reply, Request
from fmlbench.models.client import open_client
from fmlbench.models.connection import open_model

_PAUSES = (1.0, 2.0)


def send_trial(name: str, models: Path) -> Reply:
    """Send a short request, with few retries."""
    return open_client(open_model(name, models), CallLog(), pauses=_PAUSES).complete(
        Request(
            place=CallKey(step=1, purpose="try", turn=0),
            system="Answer with one word.",
            messages=(Message(role="user", text="Say hello."),),
            # Reasoning models need tokens for reasoning.
            max_output_tokens=1000,
        )
    )
