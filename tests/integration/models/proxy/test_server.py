"""The proxy on its socket, between a program's HTTP and a provider's."""

import http.client
import json
import re
import socket
import time
from collections.abc import Callable, Generator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from fmlbench.models.call_log import CallLog, read_calls
from fmlbench.models.gateway import Gateway
from fmlbench.models.meter import Caps, Meter, Spending
from fmlbench.models.names import read_name
from fmlbench.models.prices import unknown
from fmlbench.models.providers import NO_KEY
from fmlbench.models.proxy import server as server_module
from fmlbench.models.proxy.access import program_provider
from fmlbench.models.proxy.relay import Relay
from fmlbench.models.proxy.server import serve
from fmlbench.testing.models.faults import Fault
from fmlbench.testing.models.server import KEY
from fmlbench.testing.models.tool_server import ToolServer
from fmlbench.testing.models.tool_wire import INPUT, OUTPUT

PATHS = {
    "anthropic/claude-sonnet-4-5": "/v1/messages",
    "openai/gpt-5.1-codex": "/v1/responses",
    "openai/gpt-5.1": "/v1/chat/completions",
    "google/gemini-2.5-pro": "/v1beta/models/other:streamGenerateContent?alt=sse",
}
MODEL = "anthropic/claude-sonnet-4-5"
BODY: dict[str, Any] = {"stream": True, "messages": [], "input": [], "contents": []}


class Connection(http.client.HTTPConnection):
    """HTTP over a Unix socket."""

    def __init__(self, path: Path) -> None:
        super().__init__("proxy", timeout=60)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(60)
        self.sock.connect(str(self._path))

    def ask(self, path: str) -> tuple[int, bytes]:
        headers = {"Content-Type": "application/json", "x-api-key": NO_KEY}
        self.request("POST", path, json.dumps(BODY), headers)
        with self.getresponse() as response:
            return response.status, response.read()


def ask(socket_path: Path, path: str = "/v1/messages") -> tuple[int, bytes]:
    with closing(Connection(socket_path)) as connection:
        return connection.ask(path)


@contextmanager
def proxy_of(
    server: ToolServer, tmp_path: Path, model: str = MODEL, silence_seconds: float = 60.0, caps: Caps | None = None
) -> Generator[tuple[Path, CallLog]]:
    name = read_name(model)
    provider = program_provider(name)
    upstream = provider.upstream(name, server.environment, silence_seconds)
    path = tmp_path / "socket"
    path.unlink(missing_ok=True)
    with CallLog(tmp_path / "calls.jsonl") as log, socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(path))
        listening.listen()
        meter = Meter(caps or Caps(), unknown, lambda: log.spent)
        gateway = Gateway(upstream, meter, log)
        with serve(Relay(name.model, provider.dialects, provider.prefix, gateway), listening):
            yield path, log


def wait_until(holds: Callable[[], bool]) -> None:
    while not holds():
        time.sleep(0.01)


@pytest.mark.parametrize("model", sorted(PATHS))
def test_every_dialect_reaches_its_provider_with_the_user_s_key(model: str, tmp_path: Path):
    with ToolServer() as server, proxy_of(server, tmp_path, model) as (path, log):
        status, answer = ask(path, PATHS[model])
        assert status == 200
        assert answer.startswith((b"event: ", b"data: "))
    assert log.usage().input_tokens + log.usage().output_tokens == INPUT + OUTPUT
    assert KEY in " ".join(server.heard[0].headers.values())
    assert NO_KEY not in " ".join(server.heard[0].headers.values())
    assert read_name(model).model in server.heard[0].path + str(server.heard[0].body.get("model"))
    assert KEY not in (tmp_path / "calls.jsonl").read_text()


def test_a_connection_is_used_again(tmp_path: Path):
    with ToolServer() as server, proxy_of(server, tmp_path) as (path, log), closing(Connection(path)) as connection:
        assert [connection.ask("/v1/messages")[0] for _ in range(3)] == [200] * 3
        connection.request("GET", "/v1/models")
        with connection.getresponse() as refused:
            assert (refused.status, json.load(refused)["error"]["type"]) == (404, "not_found_error")
        assert log.usage().calls == 3


FAULTS = {
    Fault.RATE_LIMITED: 429,
    Fault.SERVER_ERROR: 500,
    Fault.OVERLOADED: 529,
    Fault.UNAUTHORIZED: 401,
    Fault.HANG: 502,
    Fault.GARBAGE: 200,
}
MAY_COST = {Fault.HANG, Fault.DROP, Fault.GARBAGE}


def silence(fault: Fault) -> float:
    """Only a provider that hangs is given up soon: others answer, however slow this machine is."""
    return 0.5 if fault is Fault.HANG else 60.0


@pytest.mark.parametrize("fault", sorted(FAULTS))
@pytest.mark.parametrize("model", sorted(PATHS))
def test_faults_of_a_provider_reach_the_program_are_written_down_and_pass(model: str, fault: Fault, tmp_path: Path):
    with ToolServer(faults=[fault]) as server:
        with proxy_of(server, tmp_path, model, silence(fault)) as (path, log):
            assert ask(path, PATHS[model])[0] == FAULTS[fault]
            assert bool(log.failure) is (fault is not Fault.GARBAGE)
        # A silent provider is asked once more through a proxy that has time.
        with proxy_of(server, tmp_path, model) as (path, log):
            assert ask(path, PATHS[model])[0] == 200
            assert (log.failure, log.usage().calls) == ("", 2)
    first, second = read_calls(tmp_path / "calls.jsonl")
    assert (first.status, second.status) == (0 if fault is Fault.HANG else FAULTS[fault], 200)
    assert (first.is_estimate, second.is_estimate) == (fault in MAY_COST, False)


@pytest.mark.parametrize("model", sorted(PATHS))
def test_an_answer_that_breaks_off_breaks_off_for_the_program_too(model: str, tmp_path: Path):
    with ToolServer(faults=[Fault.DROP]) as server, proxy_of(server, tmp_path, model) as (path, log):
        with pytest.raises(http.client.IncompleteRead):
            ask(path, PATHS[model])
        assert "broke off" in log.failure
        assert ask(path, PATHS[model])[0] == 200
    first, _ = read_calls(tmp_path / "calls.jsonl")
    assert (first.status, first.is_estimate) == (200, True)


@pytest.mark.parametrize("fault", [*sorted(FAULTS), Fault.DROP])
@pytest.mark.parametrize("model", sorted(PATHS))
def test_faults_do_not_lead_past_a_cap(model: str, fault: Fault, tmp_path: Path):
    """With so low a cap one call at a time is made, so a place that was not given back would stop all others."""
    with (
        ToolServer(faults=[fault] * 3) as server,
        proxy_of(server, tmp_path, model, silence(fault), Caps(tokens=1)) as (path, _),
    ):
        statuses = [status_of(path, PATHS[model]) for _ in range(5)]
        calls = len(server.heard)
    refused = 400
    if fault in MAY_COST:
        assert (statuses, calls) == ([FAULTS.get(fault)] + [refused] * 4, 1)
    else:
        assert (statuses, calls) == ([FAULTS[fault]] * 3 + [200, refused], 4)


def status_of(socket_path: Path, path: str) -> int | None:
    """The status of an answer; none where it broke off."""
    try:
        return ask(socket_path, path)[0]
    except http.client.IncompleteRead:
        return None


def test_a_provider_that_is_not_there_is_said_so(tmp_path: Path):
    with ToolServer() as server:
        pass
    with proxy_of(server, tmp_path) as (path, log):
        status, answer = ask(path)
        assert (status, log.spent) == (502, Spending())
        assert "cannot be reached" in json.loads(answer)["error"]["message"]


def test_who_hangs_up_early_is_charged_all_the_same(tmp_path: Path):
    with ToolServer() as server, proxy_of(server, tmp_path) as (path, log):
        with socket.socket(socket.AF_UNIX) as rude:
            rude.connect(str(path))
            body = json.dumps(BODY).encode()
            rude.sendall(b"POST /v1/messages HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body))
        wait_until(lambda: log.usage().calls == 1)
        assert log.usage().output_tokens == OUTPUT
        assert log.has_answers


def test_the_end_does_not_wait_for_a_provider_that_hangs(tmp_path: Path):
    with ToolServer(faults=[Fault.HANG]) as server:
        with proxy_of(server, tmp_path) as (path, log), closing(Connection(path)) as connection:
            connection.request("POST", "/v1/messages", json.dumps(BODY))
            wait_until(lambda: len(server.heard) == 1)
        assert log.usage().calls == 1
        assert not log.has_answers


@pytest.mark.parametrize(
    "head",
    [
        b"POST /v1/messages HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\n",
        b"POST /v1/messages HTTP/1.1\r\nContent-Length: -5\r\n\r\n",
        b"POST /v1/messages HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n",
        b"POST /v1/messages HTTP/1.1\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{}",
        b"CONNECT example.org:443 HTTP/1.1\r\n\r\n",
        b"\x16\x03\x01 what is this\r\n\r\n",
    ],
)
def test_what_is_not_a_plain_request_is_turned_away(head: bytes, tmp_path: Path):
    with ToolServer() as server, proxy_of(server, tmp_path) as (path, _), socket.socket(socket.AF_UNIX) as odd:
        odd.settimeout(60)
        odd.connect(str(path))
        odd.sendall(head)
        with odd.makefile("rb") as answer:
            assert re.search(rb"Error code: (413|501|400)", answer.read())
        assert not server.heard


def test_only_so_many_connections_are_held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(server_module, "MOST_CONNECTIONS", 2)
    with ToolServer() as server, proxy_of(server, tmp_path) as (path, _), closing(Connection(path)) as last:
        with closing(Connection(path)) as first:
            assert [first.ask("/v1/messages")[0], last.ask("/v1/messages")[0]] == [200, 200]
            assert not is_served(path)
        wait_until(lambda: is_served(path))


def test_only_so_much_is_held_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Who finds no room waits for some, and is turned away in the end; there is as much room afterwards."""
    monkeypatch.setattr(server_module, "MOST_BYTES_AT_ONCE", 1000)
    monkeypatch.setattr(server_module, "_PATIENCE_SECONDS", 0.2)
    with ToolServer() as server, proxy_of(server, tmp_path) as (path, _), closing(Connection(path)) as connection:
        connection.request("POST", "/v1/messages", b"{" + b" " * 2000 + b"}")
        assert connection.getresponse().status == 503
        assert [ask(path)[0] for _ in range(3)] == [200] * 3


def is_served(path: Path) -> bool:
    try:
        return ask(path)[0] == 200
    except (http.client.HTTPException, ConnectionError):
        return False
