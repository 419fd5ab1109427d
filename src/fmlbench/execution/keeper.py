"""Start and end the process that keeps a job: bubblewrap, or our own reaper.

Both follow one protocol, so that nothing of a job outlives its harness, at whatever instant that is killed:

1. the keeper waits for its orders while it is moved into the job's control group;
2. it writes ``{"child-pid": N}`` on the status pipe: the process from which all of the job will descend;
3. that process waits at the gate while its resource limits are set;
4. a line opens the gate; a gate that closes without one means that the harness is dead, and the job is not begun;
5. when the job ends by itself, ``{"exit-code": N}`` follows. Without it, it was not the job that failed.
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

from fmlbench.execution.pipes import Pipe

_START_SECONDS = 60.0
_END_SECONDS = 30.0
# One byte for bubblewrap's --block-fd, the rest of the line for the shell it starts.
_OPEN_GATE = b"!go\n"


@dataclass(frozen=True)
class Ends:
    """The keeper's ends of its pipes, by number. Its standard input is the gate, too."""

    orders: int
    status: int
    gate: int


@dataclass(frozen=True)
class Launch:
    """How to start a keeper."""

    command: Callable[[Ends], Sequence[str]]
    orders: bytes
    environment: Mapping[str, str]
    working_folder: str
    pass_fds: tuple[int, ...]


class KeeperFailed(Exception):
    """The keeper did not do its work; says why."""


class Keeper:
    """A started keeper; leaving the context ends it with everything it keeps.

    The thread that starts it must be the one that waits for it: to the kernel, the end of that thread is the end of
    the parent.
    """

    def __init__(self, launch: Launch) -> None:
        self._launch = launch
        self._said = b""
        self._init_pid: int | None = None
        self._ours = ExitStack()
        self._gate, self._orders, self._status, self._output = (self._pipe() for _ in range(4))
        try:
            self._process = self._start()
            self.handle = os.pidfd_open(self.pid)
            """Readable when the keeper has ended."""
            self._ours.callback(os.close, self.handle)
        except BaseException:
            self._ours.close()
            raise

    def __enter__(self) -> "Keeper":
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

    def give_orders(self) -> int:
        """Let the keeper prepare the job; return the number of the process all of it will descend from."""
        with suppress(BrokenPipeError):
            os.write(self._orders.writer, self._launch.orders)
        self._orders.close_writer()
        deadline = time.monotonic() + _START_SECONDS
        while (pid := self._told("child-pid")) is None:
            if not _is_ready(self._status.reader, deadline) or not self._listen():
                raise KeeperFailed("did not start")
        self._init_pid = pid
        self._init_handle = os.pidfd_open(self._init_pid)
        self._ours.callback(os.close, self._init_handle)
        return self._init_pid

    def open_gate(self) -> None:
        """Let the job begin."""
        with suppress(BrokenPipeError):
            os.write(self._gate.writer, _OPEN_GATE)

    def end(self) -> None:
        """Kill whatever of the job still lives, and wait until nothing does."""
        # To our reaper a closed gate is the order to end; killed, it would orphan what it keeps.
        self._gate.close_writer()
        deadline = time.monotonic() + _END_SECONDS
        if self._init_pid is None:
            self._process.kill()
        elif self._init_pid != self.pid:
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._init_handle, signal.SIGKILL)
            if not _is_ready(self._init_handle, deadline):
                raise KeeperFailed("could not be ended")
        try:
            self._process.wait(max(0.0, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
            raise KeeperFailed("could not be ended") from None
        while self._listen():
            pass

    def _pipe(self) -> Pipe:
        pipe = Pipe()
        self._ours.callback(pipe.close)
        return pipe

    def _start(self) -> "subprocess.Popen[bytes]":
        second_gate = os.dup(self._gate.reader)
        ends = Ends(orders=self._orders.reader, status=self._status.writer, gate=second_gate)
        try:
            return subprocess.Popen(
                list(self._launch.command(ends)),
                stdin=self._gate.reader,
                stdout=self._output.writer,
                stderr=self._output.writer,
                cwd=self._launch.working_folder,
                env=dict(self._launch.environment),
                pass_fds=(ends.orders, ends.status, ends.gate, *self._launch.pass_fds),
                # Ctrl-C on a terminal is for us; we then end the job in good order.
                start_new_session=True,
            )
        finally:
            os.close(second_gate)
            self._gate.close_reader()
            self._orders.close_reader()
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


def _is_ready(handle: int, deadline: float) -> bool:
    waiting = select.poll()
    waiting.register(handle, select.POLLIN)
    return bool(waiting.poll(1000 * max(0.0, deadline - time.monotonic())))
