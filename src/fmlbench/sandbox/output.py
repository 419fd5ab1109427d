"""A job's output in bounded size: its beginning, its end, and a line with the number of bytes left out."""

import os
import re
from pathlib import Path
from types import TracebackType

HEAD_BYTES = 64 * 1024
TAIL_BYTES = 192 * 1024
TAIL_CHARACTERS = 4000

_CHUNK_BYTES = 256 * 1024
_ESCAPE_SEQUENCES = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?")
_CONTROL_CHARACTERS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


class BoundedOutput:
    """Reads a job's output pipe in constant memory.

    The beginning is written to the log immediately, so that a running job can be watched; the end on closing.
    """

    def __init__(self, pipe: int, log: Path) -> None:
        os.set_blocking(pipe, False)
        self._pipe = pipe
        self._log = log.open("wb")
        self._head = bytearray()
        self._tail = bytearray()
        self._total_bytes = 0

    def __enter__(self) -> "BoundedOutput":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._log:
            self._log.write(self._end())

    def drain_once(self) -> bool:
        """Read the available output; False at the end of the pipe."""
        try:
            chunk = os.read(self._pipe, _CHUNK_BYTES)
        except BlockingIOError:
            return True
        self._keep(chunk)
        return bool(chunk)

    def drain(self) -> None:
        """Read all available output without waiting for the end: a process may hold the pipe open forever."""
        before = -1
        while self._total_bytes != before:
            before = self._total_bytes
            self.drain_once()

    def tail(self) -> str:
        """The last few thousand characters, without escape sequences and control characters."""
        # A UTF-8 character has at most four bytes.
        kept = bytes((self._head + self._tail)[-4 * TAIL_CHARACTERS :])
        text = kept.decode("utf-8", errors="replace").replace("\r\n", "\n").replace("\r", "\n")
        return _CONTROL_CHARACTERS.sub("", _ESCAPE_SEQUENCES.sub("", text))[-TAIL_CHARACTERS:]

    def _keep(self, chunk: bytes) -> None:
        self._total_bytes += len(chunk)
        room = HEAD_BYTES - len(self._head)
        if room > 0:
            self._head += chunk[:room]
            self._log.write(chunk[:room])
            self._log.flush()
            chunk = chunk[room:]
        self._tail += chunk
        if len(self._tail) > 2 * TAIL_BYTES:
            del self._tail[:-TAIL_BYTES]

    def _end(self) -> bytes:
        tail = bytes(self._tail[-TAIL_BYTES:])
        left_out = self._total_bytes - len(self._head) - len(tail)
        return (f"\n[... {left_out} bytes left out ...]\n".encode() if left_out else b"") + tail
