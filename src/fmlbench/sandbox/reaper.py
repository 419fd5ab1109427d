"""Start an unsealed job, and kill all its descendants when it ends or the harness dies.

    python -I -S reaper.py CONFIG_FD STATUS_FD START_FD

It is a separate process because it becomes a child subreaper: the kernel reparents orphans to it, so it can find and
kill daemons. It follows the protocol in launcher.py. A job that kills this process escapes: this level is not sealed.
"""

import ctypes
import json
import os
import select
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path

_PR_SET_CHILD_SUBREAPER = 36
_REAP_SECONDS = 0.2


def main() -> None:
    """Run one job."""
    config_fd, status_fd, start_fd = map(int, sys.argv[1:])
    with os.fdopen(config_fd, "rb") as file:
        config = json.load(file)
    os.set_inheritable(status_fd, False)
    os.set_inheritable(start_fd, False)
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    if not os.read(0, 100):
        return
    _report(status_fd, {"child-pid": os.getpid()})
    if not os.read(start_fd, 1):
        return
    job = os.posix_spawn(
        config["command"][0],
        config["command"],
        config["environment"],
        file_actions=[(os.POSIX_SPAWN_OPEN, 0, "/dev/null", os.O_RDONLY, 0)],
        setsid=True,
    )
    exit_code = _wait_for(job)
    _end_descendants()
    if exit_code is not None:
        _report(status_fd, {"exit-code": exit_code})


def _report(status_fd: int, facts: dict[str, int]) -> None:
    os.write(status_fd, json.dumps(facts).encode() + b"\n")


def _wait_for(job: int) -> int | None:
    """Wait for the job's exit code; None if the lifeline was closed before."""
    handle = os.pidfd_open(job)
    while True:
        ready, _, _ = select.select([0, handle], [], [], _REAP_SECONDS)
        if handle in ready:
            code = os.waitstatus_to_exitcode(os.waitpid(job, 0)[1])
            return code if code >= 0 else 128 - code
        if ready:
            return None
        _reap_others(job)


def _reap_others(job: int) -> None:
    while (ended := os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)) and ended.si_pid != job:
        os.waitpid(ended.si_pid, 0)


def _end_descendants() -> None:
    """Stop all descendants before killing any: a fork bomb forks faster than single processes can be killed."""
    while descendants := _descendants():
        stopped: set[int] = set()
        while fresh := [pid for pid in descendants if pid not in stopped]:
            _send(fresh, signal.SIGSTOP)
            stopped.update(fresh)
            descendants = _descendants()
        _send(sorted(stopped), signal.SIGKILL)
        with suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        time.sleep(0.001)


def _send(pids: list[int], number: signal.Signals) -> None:
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, number)


def _descendants() -> list[int]:
    found = _children_of(os.getpid())
    for pid in found:
        found.extend(_children_of(pid))
    return found


def _children_of(pid: int) -> list[int]:
    children: list[int] = []
    for listing in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(OSError):
            children.extend(map(int, listing.read_bytes().split()))
    return children


if __name__ == "__main__":
    main()
