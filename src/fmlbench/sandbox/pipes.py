"""Pipes between the harness and a job: pipes with two owners, the start barrier, and the job's bounded output."""

import os
import re
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType

HEAD_BYTES = 64 * 1024
TAIL_BYTES = 192 * 1024
TAIL_CHARACTERS = 4000

_CHUNK_BYTES = 256 * 1024
_ESCAPE_SEQUENCES = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?")
_CONTROL_CHARACTERS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


@dataclass
class Pipe:
    """A pipe; closing an end that is already closed does nothing."""

    reader: int = field(init=False)
    writer: int = field(init=False)
    _open: set[int] = field(init=False)

    def __post_init__(self) -> None:
        self.reader, self.writer = os.pipe()
        self._open = {self.reader, self.writer}

    def close_reader(self) -> None:
        """Close our handle of the read end."""
        self._close(self.reader)

    def close_writer(self) -> None:
        """Close our handle of the write end; the reader then gets end of file."""
        self._close(self.writer)

    def close(self) -> None:
        """Close the ends that are still open."""
        self.close_reader()
        self.close_writer()

    def _close(self, end: int) -> None:
        if end in self._open:
            self._open.remove(end)
            os.close(end)


class StartBarrier:
    """Closed at first. One thread opens it or cancels the job; the supervising thread then releases or ends the job."""

    def __init__(self) -> None:
        self._job, self._notice = Pipe(), Pipe()
        self.is_open = False
        self.is_cancelled = False

    @property
    def job_end(self) -> int:
        """The descriptor from which the job reads one byte before its work; end of file means that it is cancelled."""
        return self._job.reader

    @property
    def notice(self) -> int:
        """Readable once the barrier has been opened or the job was cancelled."""
        return self._notice.reader

    def open(self) -> None:
        """Request the start of the job's work."""
        self.is_open = True
        self._notice.close_writer()

    def cancel(self) -> None:
        """Request the end of the job, whether it waits or runs."""
        self.is_cancelled = True
        self._notice.close_writer()

    def release(self) -> None:
        """Send the byte to the job; a dead job is detected by its supervisor."""
        with suppress(BrokenPipeError):
            os.write(self._job.writer, b"!")

    def close(self) -> None:
        """Close the pipes, once the job has ended."""
        self._job.close()
        self._notice.close()


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
