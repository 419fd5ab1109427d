"""What happens to a budget when a provider fails: every dialect against a server on loopback."""

from dataclasses import replace
from pathlib import Path

import pytest

from fmlbench.core.agents import NoMoreCalls
from fmlbench.core.errors import ModelTrouble
from fmlbench.models.call_log import CallLog
from fmlbench.models.chat import CallKey, Message, Request, Tokens
from fmlbench.models.client import ModelClient, open_client
from fmlbench.models.connection import open_model
from fmlbench.models.meter import Caps, Spending
from fmlbench.models.prices import Price
from fmlbench.testing.models.faults import Fault
from fmlbench.testing.models.server import ModelServer

NAMES = (
    "openai/gpt-5",
    "anthropic/claude-sonnet-test",
    "google/gemini-2.5-pro",
    "openrouter/qwen/qwen3-coder",
)
REQUEST = Request(
    place=CallKey(step=1, purpose="test", turn=0),
    system="s" * 30,
    messages=(Message(role="user", text="u" * 270),),
    max_output_tokens=900,
)
"""At most 1,000 tokens, of which 100 are read."""


def a_cent_a_token(tokens: Tokens) -> Price:
    return Price((tokens.input + tokens.output) / 100, "a list")


def asked_by(name: str, server: ModelServer, log: CallLog, caps: Caps, seconds: float = 60.0) -> ModelClient:
    connection = open_model(name, Path("no-models"), server.environment)
    return open_client(replace(connection, price=a_cent_a_token, call_seconds=seconds), log, caps, pauses=(0.0,) * 5)


@pytest.mark.parametrize("caps", [Caps(tokens=2500), Caps(dollars=25.0)])
@pytest.mark.parametrize("fault", [Fault.DROP, Fault.GARBAGE, Fault.WRONG_SHAPE, Fault.HANG])
@pytest.mark.parametrize("name", NAMES)
def test_calls_that_may_be_charged_for_nothing_do_not_lead_past_a_cap(
    name: str, fault: Fault, caps: Caps, tmp_path: Path
):
    """The budget is enough for two calls with answers of full length, so a third attempt is not made."""
    seconds = 0.5 if fault is Fault.HANG else 60.0
    with ModelServer(lambda _: "A", [fault] * 9) as server, CallLog(tmp_path / "log") as log:
        with pytest.raises(NoMoreCalls, match="another call could"):
            asked_by(name, server, log, caps, seconds).complete(REQUEST)
        assert (server.calls, log.spent) == (2, Spending(tokens=2000, dollars=20.0))
    with ModelServer(lambda _: "A") as server, CallLog(tmp_path / "log") as resumed:
        with pytest.raises(NoMoreCalls):
            asked_by(name, server, resumed, caps).complete(REQUEST)
        assert server.calls == 0


@pytest.mark.parametrize("fault", [Fault.RATE_LIMITED, Fault.SERVER_ERROR, Fault.OVERLOADED])
@pytest.mark.parametrize("name", NAMES)
def test_calls_that_are_refused_take_nothing_of_a_budget(name: str, fault: Fault, tmp_path: Path):
    with ModelServer(lambda _: "A", [fault] * 9) as server, CallLog(tmp_path / "log") as log:
        with pytest.raises(ModelTrouble):
            asked_by(name, server, log, Caps(tokens=1000)).complete(REQUEST)
        assert (server.calls, log.spent) == (6, Spending())


def test_an_answer_after_a_fault_is_reported_with_what_it_took_itself(tmp_path: Path):
    with ModelServer(lambda _: "A", [Fault.GARBAGE]) as server, CallLog(tmp_path / "log") as log:
        reply = asked_by(NAMES[0], server, log, Caps(tokens=2000)).complete(REQUEST)
    # 300 letters read and one written, four to a token, and 7 tokens of thought.
    assert (reply.attempts, reply.tokens.input, reply.tokens.output) == (2, 75, 8)
