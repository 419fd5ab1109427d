"""Run jobs as forks of a process that has imported the slow libraries.

    python [-I] forker.py SOCKET_FD LIBRARY ...

A message on the socket is one job: JSON, with the descriptors of its output pipe and inherited pipes attached. The
reply has its exit code and resource usage. When the socket is closed, the running job is killed and this process ends.
"""

import fcntl
import importlib
import json
import os
import resource
import select
import signal
import socket
import sys
import traceback
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import Any

_MESSAGE_BYTES = 2**20
_MAX_FDS = 16
_TEMPORARY_FDS = 500
"""Received descriptors are moved above this number before they get the numbers that the job expects."""


def main() -> None:
    """Serve jobs, one at a time."""
    control = socket.socket(fileno=int(sys.argv[1]))
    if not sys.flags.isolated:
        del sys.path[0]
    for name in sys.argv[2:]:
        with suppress(ImportError):
            importlib.import_module(name)
    while True:
        message, fds, _, _ = socket.recv_fds(control, _MESSAGE_BYTES, _MAX_FDS)
        if not message:
            return
        child = os.fork()
        if child == 0:
            control.close()
            _run_job(json.loads(message), fds)
        for fd in fds:
            os.close(fd)
        if not _wait(child, control):
            return


def _wait(child: int, control: socket.socket) -> bool:
    """Wait for a job and report how it ended; False if the harness has closed the socket."""
    handle = os.pidfd_open(child)
    ready, _, _ = select.select([handle, control], [], [])
    is_orphaned = handle not in ready
    if is_orphaned:
        os.kill(child, signal.SIGKILL)
    _, status, used = os.wait4(child, 0)
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(child, signal.SIGKILL)
    os.close(handle)
    facts = {
        "code": os.waitstatus_to_exitcode(status),
        "cpu_seconds": used.ru_utime + used.ru_stime,
        "peak_memory_mb": used.ru_maxrss / 1024,
    }
    if not is_orphaned:
        control.send(json.dumps(facts).encode())
    return not is_orphaned


def _run_job(job: dict[str, Any], fds: list[int]) -> None:
    """Run the job as its command line would, then exit; never returns."""
    code = 1
    try:
        os.setsid()
        _place([*fds, fds[0]], [1, *job["fds"], 2])
        sys.stdout, sys.stderr = (os.fdopen(number, "w", buffering=1, closefd=False) for number in (1, 2))
        resource.setrlimit(resource.RLIMIT_CPU, (job["cpu_seconds"], job["cpu_seconds"] + 5))
        signal.setitimer(signal.ITIMER_REAL, job["wall_seconds"])
        os.environ.clear()
        os.environ.update(job["environment"])
        os.chdir(job["working_folder"])
        _run(job["command"])
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        traceback.print_exc()
    finally:
        with suppress(OSError):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)


def _place(fds: list[int], numbers: list[int]) -> None:
    """Move received descriptors to these numbers, and close all others."""
    moved = [fcntl.fcntl(fd, fcntl.F_DUPFD, _TEMPORARY_FDS) for fd in fds]
    for fd, number in zip(moved, numbers, strict=True):
        os.dup2(fd, number)
    kept = {0, 1, 2, *numbers}
    for fd in [int(path.name) for path in Path("/proc/self/fd").iterdir()]:
        if fd not in kept:
            with suppress(OSError):
                os.close(fd)


def _run(command: list[str]) -> None:
    script = Path(command[0])
    if not sys.flags.isolated:
        inherited = [folder for folder in os.environ["PYTHONPATH"].split(":") if folder]
        sys.path[:0] = [str(script.parent), *inherited]
    importlib.invalidate_caches()
    sys.argv[:] = command
    main = ModuleType("__main__")
    main.__file__ = str(script)
    sys.modules["__main__"] = main
    exec(compile(script.read_bytes(), script, "exec"), main.__dict__)  # noqa: S102 - the trusted job


if __name__ == "__main__":
    main()
