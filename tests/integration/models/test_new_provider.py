"""Providers of other packages: one entry for a server like OpenAI's, and a dialect of its own for another API."""

import json
import re
import threading
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from fmlbench.models import providers
from fmlbench.models.call_log import CallLog
from fmlbench.models.chat import CallKey, Message, Request, Tokens
from fmlbench.models.client import open_client
from fmlbench.models.connection import open_model
from fmlbench.models.dialect import Answer, Dialect
from fmlbench.models.gateway import Gateway
from fmlbench.models.json_body import Body, count_at
from fmlbench.models.meter import Caps, Meter
from fmlbench.models.prices import Price
from fmlbench.models.providers import Provider
from fmlbench.models.proxy.access import model_access, program_provider
from fmlbench.models.proxy.relay import ModelRequest, Relay
from fmlbench.testing.models.server import KEY, ModelServer

REQUEST = Request(
    place=CallKey(step=1, purpose="test", turn=0),
    system="Be brief.",
    messages=(Message(role="user", text="Say A."),),
    max_output_tokens=50,
)


def a_cent_a_token(tokens: Tokens) -> Price:
    return Price((tokens.input + tokens.output) / 100, "a list")


def _tokens(objects: Iterable[Body]) -> Tokens | None:
    found = [Tokens(input=count_at(each, "cost", "in"), output=count_at(each, "cost", "out")) for each in objects]
    return found[-1] if found else None


def _keep(body: Body) -> None:
    """It has no tools."""
    del body


PARROT = Dialect(
    name="Parrot",
    path="/say",
    build=lambda request: {"words": [message.text for message in request.messages], "limit": request.max_output_tokens},
    read=lambda body: Answer(text=body["said"]),
    tokens=_tokens,
    calls=re.compile("/say"),
    clean=_keep,
    most_output=lambda body: count_at(body, "limit"),
    refusal=lambda status, reason: {"problem": reason},
    key_header=lambda key: ("x-parrot-key", key),
)


class _Parrot(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        is_known = self.headers["x-parrot-key"] == KEY and (self.path, asked["model"]) == ("/say", "grey")
        said = json.dumps({"said": " ".join(asked["words"]), "cost": {"in": 7, "out": 3}}).encode()
        self.send_response(200 if is_known else 401)
        self.send_header("content-length", str(len(said)))
        self.end_headers()
        self.wfile.write(said)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class calls it so
        """Print nothing."""


@contextmanager
def parrot_server() -> Generator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Parrot) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join()


class _Point:
    """An entry point of another package."""

    def __init__(self, provider: Provider) -> None:
        self._provider = provider

    def load(self) -> Provider:
        return self._provider


@contextmanager
def installed(provider: Provider, monkeypatch: pytest.MonkeyPatch) -> Generator[None]:
    def points(group: str) -> list[_Point]:
        return [_Point(provider)] if group == "fmlbench.providers" else []

    monkeypatch.setattr(providers, "entry_points", points)
    providers.all_providers.cache_clear()
    yield
    monkeypatch.undo()
    providers.all_providers.cache_clear()


def test_a_compatible_provider_is_one_entry(monkeypatch: pytest.MonkeyPatch):
    with ModelServer(lambda _: "A") as server:
        mine = Provider("mine", "my server", f"{server.url}/openai/v1", keys=("MY_KEY",))
        with installed(mine, monkeypatch):
            reply = open_client(open_model("mine/a", Path("none"), {"MY_KEY": KEY}), CallLog()).complete(REQUEST)
            assert model_access("mine/a", Caps()).environment["OPENAI_BASE_URL"] == "{model}/v1"
    assert (reply.text, reply.served_by) == ("A", "a")


def test_a_provider_with_its_own_api_is_one_dialect_and_one_entry(monkeypatch: pytest.MonkeyPatch):
    """Search agents and programs use it with the same caps, prices and log."""
    with parrot_server() as url:
        parrots = Provider(
            name="parrots",
            description="parrots",
            base_url=url,
            keys=("PARROT_KEY",),
            pricing=lambda _: a_cent_a_token,
            dialects=(PARROT,),
            prefix="",
            environment={"PARROT_URL": "{model}"},
        )
        with installed(parrots, monkeypatch):
            log, environment = CallLog(), {"PARROT_KEY": KEY}
            connection = open_model("parrots/grey", Path("none"), environment)
            reply = open_client(connection, log, Caps(dollars=10.0)).complete(REQUEST)
            assert (reply.text, reply.tokens, reply.dollars) == ("Say A.", Tokens(input=7, output=3), 0.1)

            access = model_access("parrots/grey", Caps())
            assert access.environment == {"PARROT_URL": "{model}", "FML_MODEL": "grey"}
            provider = program_provider(access.name)
            gateway = Gateway(
                provider.upstream(access.name, environment),
                Meter(Caps(), provider.pricing(access.name), lambda: log.spent),
                log,
            )
            relay = Relay("grey", provider.dialects, provider.prefix, gateway)
            answer = relay.answer(ModelRequest("POST", "/say", {}, {}, b'{"words": ["hello"]}'))
            assert json.loads(b"".join(answer.parts))["said"] == "hello"
            assert relay.answer(ModelRequest("POST", "/other", {}, {}, b"{}")).status == 404
            assert (log.usage().calls, log.spent.dollars) == (2, 0.2)
