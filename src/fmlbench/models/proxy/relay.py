"""Check a program's requests to its model, and forward the allowed ones."""

import json
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import urlencode

from fmlbench.core.agents import NoMoreCalls
from fmlbench.models.chat import Tokens, estimate_tokens
from fmlbench.models.dialect import Dialect, Refused
from fmlbench.models.gateway import Call, Gateway
from fmlbench.models.json_body import Body, is_object, read_json
from fmlbench.models.request_filter import holds_media
from fmlbench.models.upstream import ConnectionLost, Incoming, Outgoing

_LONGEST_ANSWER_TOKENS = 128_000
"""Assumed maximum output of a call without a limit: no provider's models write more."""
_PASSED_ON = ("content-type", "accept", "anthropic-version", "anthropic-beta", "openai-beta")
_LONGEST_PROMPT_TOKENS = 1_000_000
"""Assumed maximum input of a call with images or documents, whose tokens cannot be computed from their size."""
_SAID = ("messages", "system", "input", "contents", "systemInstruction", "system_instruction")
"""The parts of a request that may contain images or documents."""
_QUERIES = ("alt", "beta", "api-version")
"""Other parameters may change the response: Google omits what `fields` does not name, such as the usage."""
_MOST_REFUSALS = 50


@dataclass(frozen=True)
class ModelRequest:
    """A request of a program."""

    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    """By names in lower case."""
    body: bytes


@dataclass
class Relay:
    """Serves one model to one program, in the dialects of the model's provider.

    Requests for other models are answered by the run's model as well, because the caps are based on its price.
    """

    model: str
    dialects: Sequence[Dialect]
    prefix: str
    """The prefix of paths inside the sandbox, which the provider's URL does not have."""
    gateway: Gateway
    refusals: list[str] = field(default_factory=list[str])
    """Short descriptions of rejected requests."""
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def answer(self, asked: ModelRequest) -> Incoming:
        """Answer a request; a rejected one gets an error in its API's format."""
        dialect = next((each for each in self.dialects if each.serves(asked.method, asked.path)), None)
        try:
            if dialect is None:
                raise Refused(f"There is no {asked.method} {asked.path[:200]} here.", status=404)
            return self._open(dialect, asked).start()
        except Refused as refused:
            status, reason = refused.status, refused.reason
        except NoMoreCalls as end:
            status, reason = 400, f"No more calls: {end}."
        except ConnectionLost as lost:
            return _said(dialect or self.dialects[0], 502, f"No answer: {lost}.")
        self._remember(f"{asked.method} {asked.path[:100]}: {reason}")
        return _said(dialect or self.dialects[0], status, reason)

    def _open(self, dialect: Dialect, asked: ModelRequest) -> Call:
        """A call with reserved budget; raises Refused or NoMoreCalls."""
        body = _read(asked)
        outgoing = self._outgoing(dialect, asked, body)
        most_output = dialect.most_output(body) or _LONGEST_ANSWER_TOKENS
        most = Tokens()
        if dialect.is_call(asked.path):
            has_media = any(holds_media(body.get(part)) for part in _SAID)
            most_input = _LONGEST_PROMPT_TOKENS if has_media else estimate_tokens(len(outgoing.body))
            most = Tokens(input=most_input, output=most_output)
        return self.gateway.open(dialect, outgoing, most)

    def _outgoing(self, dialect: Dialect, asked: ModelRequest, body: Body) -> Outgoing:
        dialect.clean(body)
        path = dialect.name_model(asked.path, body, self.model).removeprefix(self.prefix)
        query = urlencode({name: value for name, value in asked.query.items() if name in _QUERIES})
        headers = {name: asked.headers[name] for name in _PASSED_ON if name in asked.headers}
        return Outgoing(f"{path}?{query}" if query else path, headers, json.dumps(body).encode())

    def _remember(self, refusal: str) -> None:
        with self._lock:
            if refusal not in self.refusals and len(self.refusals) < _MOST_REFUSALS:
                self.refusals.append(refusal)


def _read(asked: ModelRequest) -> Body:
    body = read_json(asked.body)
    if not is_object(body):
        raise Refused("The body of this request is not a JSON object.")
    return body


def _said(dialect: Dialect, status: int, reason: str) -> Incoming:
    """An answer of the proxy; clients must not retry rejected requests."""
    headers = {"content-type": "application/json"} | ({"x-should-retry": "false"} if status < 500 else {})
    return Incoming(status, headers, iter([json.dumps(dialect.refusal(status, reason)).encode()]))
