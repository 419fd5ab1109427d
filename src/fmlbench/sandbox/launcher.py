"""Start and end the launcher, the parent process of a job: a shell around bubblewrap, or our reaper.

Both follow one protocol, so that no process of a job outlives its harness, whenever the harness is killed:

1. The launcher waits for a line on its standard input, the lifeline, while the harness sets limits on it.
2. It creates the job's first process and writes ``{"child-pid": N}`` on the status pipe; all other processes of the
   job descend from this one.
3. The first process waits for a byte on the start pipe, while the harness sets limits on it.
4. When the job exits, the launcher writes ``{"exit-code": N}`` and exits. A missing code means that the sandbox
   failed, not the job.
5. When the lifeline is closed, because the job must end or the harness is dead, the launcher kills the job and exits.
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
    """The launcher's file descriptors: its ends of the pipes, and a file with its configuration."""

    config: int
    status: int
    start: int


@dataclass(frozen=True)
class Launch:
    """How to start a launcher."""

    command: Callable[[LauncherPipes], Sequence[str]]
    config: bytes
    """Options passed in a file: a job can read the command line of the sandbox's first process."""
    environment: Mapping[str, str]
    working_folder: str
    pass_fds: tuple[int, ...]


class LauncherFailed(Exception):
    """The launcher did not start or end the job; the message says why."""


class Launcher:
    """A running launcher; leaving the context ends it and all processes of its job."""

    def __init__(self, launch: Launch) -> None:
        self._launch = launch
        self._received = b""
        self._handles = ExitStack()
        self._lifeline, self._start, self._status, self._output = (self._pipe() for _ in range(4))
        try:
            self._process = self._launch_process()
            self.handle = os.pidfd_open(self.pid)
            """Readable when the launcher has ended."""
            self._handles.callback(os.close, self.handle)
        except BaseException:
            self._handles.close()
            raise
        self._root_handle = self.handle

    def __enter__(self) -> "Launcher":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._handles:
            self.end()

    @property
    def pid(self) -> int:
        """The launcher's PID."""
        return self._process.pid

    @property
    def output(self) -> int:
        """The descriptor from which to read the job's output."""
        return self._output.reader

    @property
    def exit_code(self) -> int | None:
        """The job's exit code, once the launcher has ended; 128 + N for signal N, None if the job was killed."""
        return self._reported("exit-code")

    @property
    def exit_description(self) -> str:
        """How the launcher itself ended."""
        code = self._process.returncode
        return f"was killed by {signal.Signals(-code).name}" if code < 0 else f"ended with code {code}"

    def begin(self) -> int:
        """Have the launcher create the job's first process; return its PID."""
        _write(self._lifeline, b"go\n")
        deadline = time.monotonic() + _START_SECONDS
        while (root := self._reported("child-pid")) is None:
            if not _is_ready(self._status.reader, deadline) or not self._receive():
                raise LauncherFailed("did not start")
        if root != self.pid:
            self._root_handle = os.pidfd_open(root)
            self._handles.callback(os.close, self._root_handle)
        return root

    def start(self) -> None:
        """Start the job."""
        _write(self._start, b"!")

    def end(self) -> None:
        """Kill all processes of the job, and wait until they are gone."""
        self._lifeline.close_writer()
        if self._root_handle != self.handle:
            # Killing the first process of a PID namespace kills all others. Killing our reaper would orphan them.
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._root_handle, signal.SIGKILL)
        deadline = time.monotonic() + _END_SECONDS
        if not (_is_ready(self.handle, deadline) and _is_ready(self._root_handle, deadline)):
            self._process.kill()
            raise LauncherFailed("could not be ended")
        self._process.wait()
        while _is_ready(self._status.reader, deadline) and self._receive():
            pass

    def _pipe(self) -> Pipe:
        pipe = Pipe()
        self._handles.callback(pipe.close)
        return pipe

    def _launch_process(self) -> "subprocess.Popen[bytes]":
        config = _file_in_memory(self._launch.config)
        # Opened for reading and writing: the launcher then also holds a reader, so that writing after the harness died
        # does not raise SIGPIPE. Otherwise bubblewrap would die during setup and leave a child that waits forever.
        status = os.open(f"/proc/self/fd/{self._status.writer}", os.O_RDWR | os.O_CLOEXEC)
        ends = LauncherPipes(config=config, status=status, start=self._start.reader)
        try:
            return subprocess.Popen(
                list(self._launch.command(ends)),
                stdin=self._lifeline.reader,
                stdout=self._output.writer,
                stderr=self._output.writer,
                cwd=self._launch.working_folder,
                env=dict(self._launch.environment),
                pass_fds=(ends.config, ends.status, ends.start, *self._launch.pass_fds),
                # Ctrl-C in a terminal must reach only the harness, which then ends the job.
                start_new_session=True,
            )
        finally:
            os.close(config)
            os.close(status)
            self._lifeline.close_reader()
            self._start.close_reader()
            self._status.close_writer()
            self._output.close_writer()

    def _receive(self) -> bool:
        """Read from the status pipe; False at its end."""
        content = os.read(self._status.reader, 4096)
        self._received += content
        return bool(content)

    def _reported(self, key: str) -> int | None:
        complete_lines = self._received[: self._received.rfind(b"\n") + 1].splitlines()
        return next((facts[key] for facts in map(json.loads, complete_lines) if key in facts), None)


def _file_in_memory(content: bytes) -> int:
    handle = os.memfd_create("config")
    os.write(handle, content)
    os.lseek(handle, 0, os.SEEK_SET)
    return handle


def _write(pipe: Pipe, content: bytes) -> None:
    # A dead launcher is detected by the end of its status pipe.
    with suppress(BrokenPipeError):
        os.write(pipe.writer, content)


def _is_ready(handle: int, deadline: float) -> bool:
    poll = select.poll()
    poll.register(handle, select.POLLIN)
    return bool(poll.poll(1000 * max(0.0, deadline - time.monotonic())))
