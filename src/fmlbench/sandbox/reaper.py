"""Keeps an unsealed job: starts it, and kills whatever came of it when it ends or the harness dies.

    python -I -S reaper.py ORDERS_FD STATUS_FD START_FD

A program of its own, for the kernel hands orphans to the nearest ancestor that asks for them: so daemons stay in
reach. It follows the protocol in keeper.py. What kills it, though, frees the job: nothing seals this rung.
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
_SECONDS_BETWEEN_REAPING = 0.2


def main() -> None:
    """Keep one job."""
    orders_fd, status_fd, start_fd = map(int, sys.argv[1:])
    with os.fdopen(orders_fd, "rb") as file:
        orders = json.load(file)
    os.set_inheritable(status_fd, False)
    os.set_inheritable(start_fd, False)
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    if not os.read(0, 100):
        return
    _say(status_fd, {"child-pid": os.getpid()})
    if not os.read(start_fd, 1):
        return
    job = os.posix_spawn(
        orders["command"][0],
        orders["command"],
        orders["environment"],
        file_actions=[(os.POSIX_SPAWN_OPEN, 0, "/dev/null", os.O_RDONLY, 0)],
        setsid=True,
    )
    exit_code = _wait_for(job)
    _end_descendants()
    if exit_code is not None:
        _say(status_fd, {"exit-code": exit_code})


def _say(status_fd: int, facts: dict[str, int]) -> None:
    os.write(status_fd, json.dumps(facts).encode() + b"\n")


def _wait_for(job: int) -> int | None:
    """Wait for the job's exit code, or for the lifeline to be cut: then there is none."""
    handle = os.pidfd_open(job)
    while True:
        ready, _, _ = select.select([0, handle], [], [], _SECONDS_BETWEEN_REAPING)
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
    """Stop them all before killing any: a fork bomb breeds faster than it is killed one by one."""
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
