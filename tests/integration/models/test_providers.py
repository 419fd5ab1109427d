"""Every provider, against a server on loopback that speaks their dialects."""

import json
import threading
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from fmlbench.core.errors import ModelTrouble, ModelUnavailable
from fmlbench.models.call_log import CallLog
from fmlbench.models.chat import CallKey, Message, Reply, Request, Tokens
from fmlbench.models.client import ModelClient, open_client
from fmlbench.models.connection import open_model
from fmlbench.models.meter import Spending
from fmlbench.models.upstream import DEADLINE_THREAD
from fmlbench.testing.models.dialects import ReceivedRequest, ServerDialect
from fmlbench.testing.models.faults import Fault
from fmlbench.testing.models.server import KEY, ModelServer

NO_MODELS = Path("no-models")
MODELS = (
    ("openai/gpt-5", "responses", "gpt-5"),
    ("anthropic/claude-sonnet-test", "anthropic", "claude-sonnet-test"),
    ("google/gemini-2.5-pro", "gemini", "gemini-2.5-pro"),
    ("openrouter/qwen/qwen3-coder", "chat", "qwen/qwen3-coder"),
    ("vllm/some/model", "chat", "some/model"),
)
NAMES = [name for name, _, _ in MODELS]

REQUEST = Request(
    place=CallKey(step=1, purpose="test", turn=0),
    system="Be brief.",
    messages=(
        Message(role="user", text="Say A."),
        Message(role="assistant", text="B"),
        Message(role="user", text="Say A!"),
    ),
    max_output_tokens=500,
)


def serving(faults: Sequence[Fault] = (), text: str = "A. Ä? 水", retry_after: str = "0") -> ModelServer:
    return ModelServer(lambda _: text, faults, retry_after)


def ask(name: str, server: ModelServer, request: Request = REQUEST) -> Reply:
    return client_of(name, server).complete(request)


def client_of(
    name: str, server: ModelServer, seconds: float = 60.0, pauses: tuple[float, ...] = (0.0,) * 3
) -> ModelClient:
    connection = open_model(name, NO_MODELS, server.environment)
    return open_client(replace(connection, call_seconds=seconds), CallLog(), pauses=pauses)


@pytest.mark.parametrize(("name", "dialect", "model"), MODELS)
def test_every_provider_is_asked_in_its_dialect_and_understood(name: str, dialect: str, model: str):
    with serving() as server:
        reply = ask(name, server)
        (asked,) = server.asked
    assert (asked.dialect, asked.model, asked.key, asked.system) == (dialect, model, KEY, "Be brief.")
    assert asked.messages == (("user", "Say A."), ("assistant", "B"), ("user", "Say A!"))
    assert (asked.max_tokens, asked.temperature) == (500, None)
    assert (reply.text, reply.served_by, reply.is_complete, reply.attempts) == ("A. Ä? 水", model, True, 1)
    # 9 + 6 + 1 + 6 letters read and 7 written, four to a token, and 7 tokens of thought.
    assert (reply.tokens.input, reply.tokens.output, reply.tokens.cached) == (6, 9, 0)


@pytest.mark.parametrize(("name", "dialect"), [(name, dialect) for name, dialect, _ in MODELS])
def test_cached_and_reasoning_tokens_are_counted_within_input_and_output(name: str, dialect: str):
    with serving() as server:
        ask(name, server)
        tokens = ask(name, server).tokens
    # Anthropic's answers do not say what was thought.
    assert tokens == Tokens(input=6, output=9, cached=3, reasoning=0 if dialect == "anthropic" else 7)


@pytest.mark.parametrize("name", NAMES)
def test_a_temperature_is_sent_if_there_is_one(name: str):
    with serving() as server:
        ask(name, server, REQUEST.model_copy(update={"temperature": 0.25}))
        assert server.asked[0].temperature == 0.25


@pytest.mark.parametrize("name", NAMES)
def test_an_answer_that_was_cut_off_says_so(name: str):
    with serving(text="word " * 3000) as server:
        assert not ask(name, server).is_complete


@pytest.mark.parametrize(
    "fault",
    [Fault.RATE_LIMITED, Fault.SERVER_ERROR, Fault.OVERLOADED, Fault.DROP, Fault.GARBAGE, Fault.WRONG_SHAPE],
)
@pytest.mark.parametrize("name", NAMES[:4])
def test_failures_that_pass_are_tried_again(name: str, fault: Fault):
    with serving([fault, fault]) as server:
        reply = ask(name, server)
        assert (reply.text, reply.attempts, server.calls) == ("A. Ä? 水", 3, 3)


@pytest.mark.parametrize("fault", [Fault.HANG, Fault.DRIP])
@pytest.mark.parametrize("name", NAMES[:4])
def test_no_answer_is_waited_for_longer_than_the_deadline(name: str, fault: Fault):
    expected = pytest.raises(ModelTrouble, match=r"after 2 tries: no answer within 0\.3 s")
    with serving([fault] * 9) as server, expected:
        client_of(name, server, 0.3, pauses=(0.0,)).complete(REQUEST)
    assert DEADLINE_THREAD not in {thread.name for thread in threading.enumerate()}


@pytest.mark.parametrize(
    ("fault", "hint"), [(Fault.UNAUTHORIZED, "to a key that works"), (Fault.BAD_REQUEST, "fmlbench models")]
)
@pytest.mark.parametrize("name", NAMES[:4])
def test_failures_that_stay_are_not_tried_again(name: str, fault: Fault, hint: str):
    with serving([fault]) as server:
        with pytest.raises(ModelUnavailable, match=f"HTTP {fault}") as caught:
            ask(name, server)
        assert server.calls == 1
    assert hint in caught.value.hint
    assert KEY not in caught.value.message


def test_patience_has_an_end():
    with serving([Fault.OVERLOADED] * 9) as server:
        with pytest.raises(ModelTrouble, match="anthropic/claude-sonnet-test did not answer after 4 tries: HTTP 529"):
            ask("anthropic/claude-sonnet-test", server)
        assert server.calls == 4


@pytest.mark.parametrize("name", NAMES[:4])
def test_a_wait_that_the_provider_asks_for_is_kept(name: str):
    waited: list[float] = []
    with serving([Fault.RATE_LIMITED], retry_after="17") as server:
        replace(client_of(name, server, pauses=(1.0,)), sleep=waited.append).complete(REQUEST)
    assert waited == [17.0]


def test_a_wait_of_hours_is_not_waited_for():
    with serving([Fault.RATE_LIMITED], retry_after="7200") as server, pytest.raises(ModelTrouble, match="HTTP 429"):
        ask("openai/gpt-5", server)


@pytest.mark.parametrize("name", NAMES[:4])
def test_a_server_that_is_not_there_is_a_failure_that_may_pass_and_costs_nothing(name: str):
    with serving() as server:
        gone = client_of(name, server, pauses=())
    with pytest.raises(ModelTrouble, match="the provider cannot be reached"):
        gone.complete(REQUEST)
    assert gone.gateway.log.spent == Spending()


@pytest.mark.parametrize(
    ("fault", "may_cost"),
    [
        (Fault.RATE_LIMITED, False),
        (Fault.SERVER_ERROR, False),
        (Fault.OVERLOADED, False),
        (Fault.UNAUTHORIZED, False),
        (Fault.HANG, True),
        (Fault.DROP, True),
        (Fault.GARBAGE, True),
        (Fault.WRONG_SHAPE, True),
    ],
)
@pytest.mark.parametrize("name", NAMES[:4])
def test_what_was_answered_and_could_not_be_read_may_cost(name: str, fault: Fault, may_cost: bool):
    with serving([fault]) as server:
        # A provider that refuses does so at once; only one that is silent is given up after half a second.
        client = client_of(name, server, 0.5 if fault is Fault.HANG else 60.0, pauses=())
        with pytest.raises((ModelTrouble, ModelUnavailable)):
            client.complete(REQUEST)
    # 22 bytes read are at most 8 tokens.
    assert client.gateway.log.spent.tokens == (508 if may_cost else 0)


class Blocking(ModelServer):
    """Google's way to answer no prompt: a status of 200, and no answer."""

    def reply_to(self, asked: ReceivedRequest, dialect: ServerDialect) -> bytes:
        del asked, dialect
        feedback = {"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}, "usageMetadata": {"promptTokenCount": 6}}
        return json.dumps(feedback).encode()


def test_a_prompt_that_google_blocks_is_not_asked_again():
    with Blocking(lambda _: "") as server:
        reply = ask("google/gemini-2.5-pro", server)
    assert (server.calls, reply.tokens) == (1, Tokens(input=6))
    assert reply.text == "(No answer: the provider blocked the prompt, PROHIBITED_CONTENT.)"


def test_any_compatible_server_is_asked_by_its_address():
    with serving() as server:
        connection = open_model(f"{server.url}/openai/v1#my/model", NO_MODELS, {"FMLBENCH_SERVER_KEY": KEY})
        model = open_client(connection, CallLog())
        assert model.complete(REQUEST).served_by == "my/model"
        assert model.name == f"{server.url}/openai/v1#my/model"
