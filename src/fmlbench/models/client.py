"""The model of a search agent: requests through the gateway, with retries and a deadline, never sent twice."""

import json
import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from fmlbench.core.agents import NoMoreCalls
from fmlbench.core.errors import FmlbenchError, ModelTrouble, ModelUnavailable
from fmlbench.core.text import to_valid_utf8
from fmlbench.models.call_log import CallLog, LoggedCall
from fmlbench.models.chat import Reply, Request, Tokens, estimate_tokens
from fmlbench.models.connection import Connection
from fmlbench.models.dialect import MalformedAnswer
from fmlbench.models.gateway import Gateway
from fmlbench.models.json_body import is_object, object_at, read_json
from fmlbench.models.meter import Caps, Meter
from fmlbench.models.upstream import ConnectionLost, Incoming, Outgoing

PAUSES_SECONDS = (1.0, 2.0, 4.0, 8.0, 16.0)
LONGEST_PAUSE_SECONDS = 120.0
GRACE_SECONDS = 5.0
"""The minimum timeout of a call that was started."""

_TRANSIENT = {408, 409, 425, 429}
_LONGEST_REASON = 300


class CallFailed(Exception):
    """An attempt of a call failed."""

    def __init__(
        self, reason: str, *, is_transient: bool = True, hint: str = "", wait_seconds: float | None = None
    ) -> None:
        super().__init__(reason)
        self.reason = reason.rstrip(". ")
        """Without a full stop, for use within sentences."""
        self.is_transient = is_transient
        """Whether a retry may succeed."""
        self.hint = hint
        self.wait_seconds = wait_seconds
        """The pause that the provider requested."""


def endless() -> float:
    """The seconds left of a run without a deadline."""
    return math.inf


@dataclass(frozen=True)
class ModelClient:
    """Sends the requests of a search agent to its model.

    A request that the log already contains is answered from there, so that a resumed run repeats no call. Caps and the
    remaining time are checked before each attempt.
    """

    connection: Connection
    gateway: Gateway
    pauses: tuple[float, ...] = PAUSES_SECONDS
    """Before each retry; a provider may request longer ones."""
    seconds_left: Callable[[], float] = field(default=endless, repr=False)
    """No attempt starts at 0."""
    sleep: Callable[[float], None] = field(default=time.sleep, repr=False)

    @property
    def name(self) -> str:
        """The model's name, including its provider."""
        return self.connection.name

    def complete(self, request: Request) -> Reply:
        """Answer, or raise ModelTrouble after the last retry, ModelUnavailable if a retry would not help.

        Raises NoMoreCalls when the time or the budget is over.
        """
        outgoing = self._outgoing(request)
        if logged := self.gateway.log.find(request.place, outgoing.path, outgoing.body.decode()):
            return self._reply(logged)
        if self.seconds_left() <= 0:
            raise NoMoreCalls("no time is left for another call")
        started = self.gateway.clock()
        for attempt, pause in enumerate((*self.pauses, None), start=1):
            try:
                return self._attempt(request, attempt, started)
            except CallFailed as failure:
                wait = max(pause or 0.0, failure.wait_seconds or 0.0)
                is_late = wait >= self.seconds_left()
                if is_late and failure.is_transient and self.gateway.log.has_keyed_answers:
                    raise NoMoreCalls(f"no time is left for another call after {failure.reason}") from failure
                # A run that never got an answer fails, and can be resumed.
                if is_late or pause is None or not failure.is_transient or wait > LONGEST_PAUSE_SECONDS:
                    raise self._trouble(failure, attempt) from failure
            self.sleep(wait)
        raise AssertionError  # the last pause is None, which ends the loop

    def _attempt(self, request: Request, attempt: int, started: float) -> Reply:
        seconds = min(self.connection.call_seconds, max(self.seconds_left(), GRACE_SECONDS))
        outgoing = self._outgoing(request, seconds, attempt, started)
        most = Tokens(input=estimate_tokens(request.size_bytes), output=request.max_output_tokens)
        call = self.gateway.open(self.connection.dialect, outgoing, most, self._check)
        try:
            incoming = call.start()
            answer = b"".join(incoming.parts)
        except ConnectionLost as lost:
            raise CallFailed(str(lost)) from lost
        if error := self.gateway.log.write_error:
            raise error
        if incoming.status != 200:
            raise self._refused(incoming, answer)
        logged = call.result()
        if logged.trouble:
            raise CallFailed(logged.trouble)
        return self._reply(logged)

    def _outgoing(
        self, request: Request, seconds: float | None = None, attempt: int = 1, started: float | None = None
    ) -> Outgoing:
        dialect = self.connection.dialect
        body = dialect.build(request)
        path = dialect.name_model(dialect.path, body, self.connection.model).removeprefix(self.connection.prefix)
        headers = {"content-type": "application/json", **dialect.headers}
        return Outgoing(path, headers, json.dumps(body).encode(), request.place, seconds, attempt, started)

    def _check(self, answer: bytes) -> str:
        try:
            self.connection.dialect.read_answer(answer)
        except MalformedAnswer as malformed:
            return str(malformed)
        return ""

    def _reply(self, call: LoggedCall) -> Reply:
        said = self.connection.dialect.read_answer(call.answer.encode())
        is_free = call.most_dollars == 0
        return Reply(
            text=to_valid_utf8(said.text),
            tokens=Tokens() if call.is_estimate else call.tokens,
            served_by=said.served_by,
            is_complete=said.is_complete,
            # The price of an estimate is only correct for free models.
            dollars=call.dollars if is_free or not call.is_estimate else None,
            priced_by=call.priced_by if is_free or not call.is_estimate else "",
            seconds=call.seconds,
            attempts=call.attempt,
            replays=call.replays,
        )

    def _refused(self, incoming: Incoming, answer: bytes) -> CallFailed:
        """The failure for an HTTP status other than 200."""
        status = incoming.status
        return CallFailed(
            f"HTTP {status}: {_message_in(answer)[:_LONGEST_REASON]}",
            is_transient=status in _TRANSIENT or status >= 500,
            hint=self.connection.hints.get(status, ""),
            wait_seconds=_asked_wait(incoming.headers),
        )

    def _trouble(self, failure: CallFailed, attempt: int) -> FmlbenchError:
        tries = f" after {attempt} tries" if attempt > 1 else ""
        hint = failure.hint or "Check the provider's status and your account; test with 'fmlbench models test MODEL'."
        kind = ModelTrouble if failure.is_transient else ModelUnavailable
        return kind(f"{self.name} did not answer{tries}: {failure.reason}.", hint=hint)


def open_client(
    connection: Connection,
    log: CallLog,
    caps: Caps | None = None,
    seconds_left: Callable[[], float] = endless,
    pauses: tuple[float, ...] = PAUSES_SECONDS,
) -> ModelClient:
    """A search agent's model, with caps; all calls are logged."""
    meter = Meter(caps or Caps(), connection.price, lambda: log.spent, must_fit=True)
    return ModelClient(connection, Gateway(connection.endpoint, meter, log), pauses, seconds_left)


def _message_in(answer: bytes) -> str:
    """The message of an error, in one line."""
    body = read_json(answer)
    message = object_at(body, "error").get("message") if is_object(body) else None
    return " ".join((message if isinstance(message, str) else answer.decode("utf-8", "replace")).split())


def _asked_wait(headers: Mapping[str, str]) -> float | None:
    try:
        return max(0.0, float(headers.get("retry-after", "")))
    except ValueError:
        return None
