"""A local file server with scripted faults."""

import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler


@dataclass
class Shelf:
    """The files and the scripted faults of a server."""

    files: dict[str, bytes] = field(default_factory=dict[str, bytes])
    url: str = ""
    requests: list[tuple[str, str | None]] = field(default_factory=list[tuple[str, str | None]])
    """The path and the range of every request so far."""
    breaks_off_after: list[int] = field(default_factory=list[int])
    """For the next responses: how many bytes are sent before the connection is closed."""
    answers: list[int] = field(default_factory=list[int])
    """For the next responses: a status instead of a file."""
    knows_ranges: bool = True
    stalls_after: int | None = None
    """For the next response: how many bytes are sent before the server waits for ``goes_on``."""
    goes_on: threading.Event = field(default_factory=threading.Event)


class FileHandler(BaseHTTPRequestHandler):
    shelf: Shelf

    def do_GET(self) -> None:
        shelf = self.shelf
        asked = self.headers.get("Range")
        shelf.requests.append((self.path, asked))
        content = shelf.files.get(self.path)
        status = shelf.answers.pop(0) if shelf.answers else 200
        if status != 200 or content is None:
            self.send_error(status if status != 200 else 404)
            return
        start = int(asked.removeprefix("bytes=").rstrip("-")) if asked and shelf.knows_ranges else 0
        if start and start >= len(content):
            self.send_error(416)
            return
        body = content[start:]
        self.send_response(206 if start else 200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if shelf.stalls_after is not None:
            stalled, shelf.stalls_after = body[: shelf.stalls_after], None
            self.wfile.write(stalled)
            shelf.goes_on.wait(60)
            return
        self.wfile.write(body[: shelf.breaks_off_after.pop(0)] if shelf.breaks_off_after else body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Keep the tests' output clean."""
