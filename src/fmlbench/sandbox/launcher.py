"""Start and end the process that keeps a job: a shell around bubblewrap, or our own reaper.

Both follow one protocol, so that nothing of a job outlives its harness, at whatever instant that is killed:

1. the keeper waits for a line on its standard input, the lifeline, while limits are set on it;
2. it begins the job and writes ``{"child-pid": N}`` on the status pipe: from that process all of the job descends;
3. that process waits for a byte on the start pipe, while limits are set on it in turn;
4. when the job ends by itself, ``{"exit-code": N}`` follows, and the keeper ends. Without a code, it was not the job
   that failed;
5. when the lifeline is cut, because the job is to be ended or the harness is dead, the keeper kills all and ends.
"""

import json
import os
import select
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from types import TracebackType

from fmlbench.sandbox.pipes import Pipe

_START_SECONDS = 60.0
_END_SECONDS = 30.0


@dataclass(frozen=True)
class LauncherPipes:
    """The keeper's ends of its pipes, and a file to read its orders from, by number."""

    orders: int
    status: int
    start: int


@dataclass(frozen=True)
class Launch:
    """How to start a keeper."""

    command: Callable[[LauncherPipes], Sequence[str]]
    orders: bytes
    """What is not to be seen on a command line: a sandbox's first process shows its own to the job."""
    environment: Mapping[str, str]
    working_folder: str
    pass_fds: tuple[int, ...]


class LauncherFailed(Exception):
    """The keeper did not do its work; says why."""


class Launcher:
    """A keeper at work; leaving the context ends it with everything it keeps."""

    def __init__(self, launch: Launch) -> None:
        self._launch = launch
        self._said = b""
        self._ours = ExitStack()
        self._lifeline, self._start, self._status, self._output = (self._pipe() for _ in range(4))
        try:
            self._process = self._launch_process()
            self.handle = os.pidfd_open(self.pid)
            """Readable when the keeper has ended."""
            self._ours.callback(os.close, self.handle)
        except BaseException:
            self._ours.close()
            raise
        self._root_handle = self.handle

    def __enter__(self) -> "Launcher":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._ours:
            self.end()

    @property
    def pid(self) -> int:
        """The keeper's own process number."""
        return self._process.pid

    @property
    def output(self) -> int:
        """Where to read what the job prints."""
        return self._output.reader

    @property
    def exit_code(self) -> int | None:
        """The job's, once the keeper has ended; 128 + N for signal N, None if the job did not end by itself."""
        return self._told("exit-code")

    @property
    def last_words(self) -> str:
        """How the keeper itself ended."""
        code = self._process.returncode
        return f"was killed by {signal.Signals(-code).name}" if code < 0 else f"ended with code {code}"

    def begin(self) -> int:
        """Let the keeper make all ready; return the number of the process from which all of the job will descend."""
        _tell(self._lifeline, b"go\n")
        deadline = time.monotonic() + _START_SECONDS
        while (root := self._told("child-pid")) is None:
            if not _is_ready(self._status.reader, deadline) or not self._listen():
                raise LauncherFailed("did not start")
        if root != self.pid:
            self._root_handle = os.pidfd_open(root)
            self._ours.callback(os.close, self._root_handle)
        return root

    def start(self) -> None:
        """Let the job itself start."""
        _tell(self._start, b"!")

    def end(self) -> None:
        """Have whatever still lives of the job killed, and wait until nothing does."""
        self._lifeline.close_writer()
        if self._root_handle != self.handle:
            # The first process of a namespace takes all others with it, at once. Our reaper would leave them behind.
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._root_handle, signal.SIGKILL)
        deadline = time.monotonic() + _END_SECONDS
        if not (_is_ready(self.handle, deadline) and _is_ready(self._root_handle, deadline)):
            self._process.kill()
            raise LauncherFailed("could not be ended")
        self._process.wait()
        while _is_ready(self._status.reader, deadline) and self._listen():
            pass

    def _pipe(self) -> Pipe:
        pipe = Pipe()
        self._ours.callback(pipe.close)
        return pipe

    def _launch_process(self) -> "subprocess.Popen[bytes]":
        orders = _file_in_memory(self._launch.orders)
        # Open for both: who holds this end can read from it, too, and is not killed by writing to a dead harness.
        # Bubblewrap would die half-way, and leave behind a child that waits for it for ever.
        status = os.open(f"/proc/self/fd/{self._status.writer}", os.O_RDWR | os.O_CLOEXEC)
        ends = LauncherPipes(orders=orders, status=status, start=self._start.reader)
        try:
            return subprocess.Popen(
                list(self._launch.command(ends)),
                stdin=self._lifeline.reader,
                stdout=self._output.writer,
                stderr=self._output.writer,
                cwd=self._launch.working_folder,
                env=dict(self._launch.environment),
                pass_fds=(ends.orders, ends.status, ends.start, *self._launch.pass_fds),
                # Ctrl-C on a terminal is for us; we then end the job in good order.
                start_new_session=True,
            )
        finally:
            os.close(orders)
            os.close(status)
            self._lifeline.close_reader()
            self._start.close_reader()
            self._status.close_writer()
            self._output.close_writer()

    def _listen(self) -> bool:
        """Take in what the keeper says; False when it will say no more."""
        words = os.read(self._status.reader, 4096)
        self._said += words
        return bool(words)

    def _told(self, fact: str) -> int | None:
        whole_lines = self._said[: self._said.rfind(b"\n") + 1].splitlines()
        return next((facts[fact] for facts in map(json.loads, whole_lines) if fact in facts), None)


def _file_in_memory(content: bytes) -> int:
    handle = os.memfd_create("orders")
    os.write(handle, content)
    os.lseek(handle, 0, os.SEEK_SET)
    return handle


def _tell(pipe: Pipe, words: bytes) -> None:
    # A keeper that is gone is noticed by its silence.
    with suppress(BrokenPipeError):
        os.write(pipe.writer, words)


def _is_ready(handle: int, deadline: float) -> bool:
    waiting = select.poll()
    waiting.register(handle, select.POLLIN)
    return bool(waiting.poll(1000 * max(0.0, deadline - time.monotonic())))
