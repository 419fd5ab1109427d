"""A model server for programs that are agents: it has them use tools, turn by turn, as a script says."""

import json
import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Self

from fmlbench.testing.models.faults import Fault
from fmlbench.testing.models.server import KEY
from fmlbench.testing.models.tool_wire import TOOL_DIALECTS, Json, ToolDialect, Turn


@dataclass(frozen=True)
class Heard:
    """A call that came in."""

    path: str
    headers: dict[str, str]
    """By names in lower case."""
    body: Json


class ToolServer:
    """Answers with a script of turns; the first calls fail with the given faults, None for success."""

    def __init__(self, script: Sequence[Turn] = (), faults: Iterable[Fault | None] = ()) -> None:
        self.script = script
        self.heard: list[Heard] = []
        self.closing = threading.Event()
        self._faults = list(faults)
        self._lock = threading.Lock()
        self._http = _ToolHttp(self)

    @property
    def environment(self) -> dict[str, str]:
        """Keys and addresses as a user would set them."""
        url = f"http://127.0.0.1:{self._http.server_address[1]}"
        return {
            "ANTHROPIC_API_KEY": KEY,
            "ANTHROPIC_BASE_URL": f"{url}/anthropic",
            "OPENAI_API_KEY": KEY,
            "OPENAI_BASE_URL": f"{url}/openai/v1",
            "GEMINI_API_KEY": KEY,
            "GOOGLE_GEMINI_BASE_URL": f"{url}/google",
        }

    def take(self, heard: Heard) -> Fault | None:
        """Remember a call; what goes wrong with it, if anything does."""
        with self._lock:
            self.heard.append(heard)
            return self._faults.pop(0) if self._faults else None

    def __enter__(self) -> Self:
        threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.closing.set()
        self._http.shutdown()
        self._http.server_close()


class _ToolHttp(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, owner: ToolServer) -> None:
        super().__init__(("127.0.0.1", 0), _ToolHandler)
        self.owner = owner


class _ToolHandler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        assert isinstance(self.server, _ToolHttp)
        owner = self.server.owner
        body: Json = json.loads(self.rfile.read(int(self.headers.get("content-length", "0"))))
        headers = {name.lower(): value for name, value in self.headers.items()}
        fault = owner.take(Heard(self.path, headers, body))
        dialect = next((TOOL_DIALECTS[path] for path in TOOL_DIALECTS if self.path.startswith(path)), None)
        if dialect is None:
            self.send_error(404)
        elif fault is not None:
            self._fail(owner, fault)
        elif KEY not in " ".join(headers.values()):
            self._send(401, b'{"error": {"type": "authentication_error", "message": "invalid key"}}')
        else:
            self._answer(owner, dialect, body)

    def _answer(self, owner: ToolServer, dialect: ToolDialect, body: Json) -> None:
        turn, number = dialect.turn(body, owner.script)
        if body.get("stream") or "stream" in self.path:
            self._send_head(200, "text/event-stream")
            for event in dialect.events(turn, number):
                self.wfile.write(event)
        else:
            self._send(200, json.dumps(dialect.whole(turn, number)).encode())

    def _fail(self, owner: ToolServer, fault: Fault) -> None:
        if fault is Fault.HANG:
            owner.closing.wait()
        elif fault is Fault.DROP:
            self._send(200, b'{"id": "half', length=4000)
        elif fault.status is None:
            self._send(200, b"<html>Bad gateway</html>")
        else:
            said = {"type": "error", "error": {"type": "api_error", "message": f"injected fault: {fault}"}}
            self._send(fault.status, json.dumps(said).encode())

    def _send(self, status: int, body: bytes, length: int | None = None) -> None:
        self._send_head(status, "application/json", len(body) if length is None else length)
        self.wfile.write(body)

    def _send_head(self, status: int, kind: str, length: int | None = None) -> None:
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("retry-after", "1")
        if length is not None:
            self.send_header("content-length", str(length))
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the parent's word
        """Say nothing."""
