"""The server itself: one thread for each call, answers in the order of a script, faults when they are due."""

import json
import threading
from collections.abc import Callable, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Self

from fmlbench.models.chat import Tokens
from fmlbench.testing.models.dialects import DIALECTS, BadCall, ReceivedRequest, ServerDialect
from fmlbench.testing.models.faults import Fault

KEY = "a-key-for-tests"
REASONING_TOKENS = 7
_DRIP_SECONDS = 0.02


class ModelServer:
    """Answers every question with a function of it; the first calls fail with the given faults."""

    def __init__(
        self, answer: Callable[[ReceivedRequest], str], faults: Sequence[Fault] = (), retry_after: str = "0"
    ) -> None:
        self.asked: list[ReceivedRequest] = []
        """Questions that were answered."""
        self.calls = 0
        """Calls that came in, failed ones included."""
        self._answer = answer
        self._faults = list(faults)
        self.retry_after = retry_after
        self._lock = threading.Lock()
        self.closing = threading.Event()
        self._http = _Http(self)

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self._http.server_address[1]}"

    @property
    def environment(self) -> dict[str, str]:
        """Keys and addresses as a user would set them."""
        return {
            "OPENAI_API_KEY": KEY,
            "OPENAI_BASE_URL": f"{self.url}/openai/v1",
            "OPENROUTER_API_KEY": KEY,
            "OPENROUTER_BASE_URL": f"{self.url}/openai/v1",
            "ANTHROPIC_API_KEY": KEY,
            "ANTHROPIC_BASE_URL": f"{self.url}/anthropic",
            "GEMINI_API_KEY": KEY,
            "GOOGLE_GEMINI_BASE_URL": f"{self.url}/google",
            "VLLM_API_KEY": KEY,
            "VLLM_BASE_URL": f"{self.url}/openai/v1",
        }

    def __enter__(self) -> Self:
        threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.closing.set()
        self._http.shutdown()
        self._http.server_close()

    def next_fault(self) -> Fault | None:
        """What goes wrong with the call that came in, if anything does."""
        with self._lock:
            self.calls += 1
            return self._faults.pop(0) if self._faults else None

    def reply_to(self, asked: ReceivedRequest, dialect: ServerDialect) -> bytes:
        """The body of an answer; a system prompt that came before counts as cached."""
        text = self._answer(asked)
        size = len(asked.system) + sum(len(said) for _, said in asked.messages)
        with self._lock:
            has_seen = any(earlier.system == asked.system for earlier in self.asked)
            self.asked.append(asked)
        read = -(-size // 4)
        tokens = Tokens(
            input=read,
            output=-(-len(text) // 4) + REASONING_TOKENS,
            cached=read // 2 if has_seen else 0,
            reasoning=REASONING_TOKENS,
        )
        return json.dumps(dialect.write(asked, text, tokens)).encode()


class _Http(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, owner: ModelServer) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.owner = owner


class _Handler(BaseHTTPRequestHandler):
    """One call."""

    @property
    def _owner(self) -> ModelServer:
        assert isinstance(self.server, _Http)
        return self.server.owner

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the parent's word
        """Say nothing."""

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", "0")))
        found = next((DIALECTS[path] for path in DIALECTS if self.path.startswith(path)), None)
        if found is None:
            self.send_error(404)
            return
        fault = self._owner.next_fault()
        if fault is None:
            self._answer(found, body)
        else:
            self._fail(found, fault)

    def _answer(self, dialect: ServerDialect, body: bytes) -> None:
        key = self.headers.get(dialect.key_header, "").removeprefix("Bearer ")
        if key != KEY:
            self._send(401, json.dumps(dialect.refuse(401, "invalid key")).encode())
            return
        try:
            asked = dialect.read(json.loads(body), self.path.partition("?")[0], key)
        except BadCall as error:
            self._send(400, json.dumps(dialect.refuse(400, str(error))).encode())
            return
        self._send(200, self._owner.reply_to(asked, dialect))

    def _fail(self, dialect: ServerDialect, fault: Fault) -> None:
        if fault.status is not None:
            self._send(fault.status, json.dumps(dialect.refuse(fault.status, f"injected fault: {fault}")).encode())
        elif fault is Fault.GARBAGE:
            self._send(200, b"<html>Bad gateway</html>")
        elif fault is Fault.WRONG_SHAPE:
            self._send(200, b'{"hello": "world"}')
        elif fault is Fault.DROP:
            self._send(200, b'{"id": "half', length=4000)
        else:
            self._linger(fault)

    def _linger(self, fault: Fault) -> None:
        self.close_connection = True
        if fault is Fault.HANG:
            self._owner.closing.wait()
            return
        self._send_head(200, 10**9)
        while not self._owner.closing.wait(_DRIP_SECONDS):
            try:
                self.wfile.write(b" ")
            except OSError:
                return

    def _send(self, status: int, body: bytes, length: int | None = None) -> None:
        self._send_head(status, len(body) if length is None else length)
        self.wfile.write(body)
        self.close_connection = True

    def _send_head(self, status: int, length: int) -> None:
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(length))
        if status == 429:
            self.send_header("retry-after", self._owner.retry_after)
        self.end_headers()
