"""A seccomp filter that disables covert channels and unneeded system calls in sealed jobs.

Processes of different exam passes must not exchange information. They share no writable file, but they share read-only
files, and these give two covert channels:

- Page cache: mincore, cachestat and preadv2(RWF_NOWAIT) show which pages of a file are in memory; fadvise, madvise and
  process_madvise evict pages. The queries fail. Eviction requests return success and do nothing.
- File locks: any process that can read a file can lock it, and others can detect the lock. Without ``locks``, lock
  calls return success and lock nothing; queries for locks fail.

Calls that no training code needs (bpf, io_uring, keyctl, perf_event_open, userfaultfd) are disabled, because rarely
used kernel interfaces are a frequent source of sandbox escapes.
"""

import errno
import os
import platform
import struct
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _FAIL_WITH = 0x7FFF0000, 0x00050000
_NUMBER, _ARCHITECTURE, _FIRST_ARGUMENT, _ARGUMENT_BYTES = 0, 4, 16, 8
_X32 = 0x40000000
"""Calls of the x32 ABI start here; they are aliases of the 64-bit calls, so they are rejected."""

_RWF_NOWAIT = 8
_POSIX_FADV_DONTNEED = 4
_MADV_COLD, _MADV_PAGEOUT = 20, 21


@dataclass(frozen=True)
class _Machine:
    architecture: int
    numbers: dict[str, int]


_MACHINES = {
    "x86_64": _Machine(
        0xC000003E,
        {"fadvise64": 221, "madvise": 28, "preadv2": 327, "mincore": 27, "fcntl": 72, "flock": 73}
        | {"bpf": 321, "perf_event_open": 298, "userfaultfd": 323, "add_key": 248, "request_key": 249, "keyctl": 250},
    ),
    "aarch64": _Machine(
        0xC00000B7,
        {"fadvise64": 223, "madvise": 233, "preadv2": 286, "mincore": 232, "fcntl": 25, "flock": 32}
        | {"bpf": 280, "perf_event_open": 241, "userfaultfd": 282, "add_key": 217, "request_key": 218, "keyctl": 219},
    ),
}
_SAME_EVERYWHERE = {"io_uring_setup": 425, "io_uring_enter": 426, "io_uring_register": 427} | {
    "process_madvise": 440,
    "cachestat": 451,
}
_DISABLED = ("mincore", "bpf", "perf_event_open", "userfaultfd", "add_key", "request_key", "keyctl")


_SET_LOCK = (6, 7, 37, 38)
_GET_LOCK = (5, 36)
_SET_LEASE = 1024
"""Commands of fcntl, for process locks and for open file description locks."""


@contextmanager
def open_syscall_filter(*, locks: bool) -> Generator[int | None]:
    """A descriptor of the filter program, readable once; None on architectures with unknown call numbers.

    ``locks`` keeps file locks working; it is only safe if no other job can read the same files.
    """
    machine = _MACHINES.get(platform.machine())
    if machine is None:
        yield None
        return
    handle = os.memfd_create("syscalls")
    try:
        os.write(handle, b"".join(_program(machine, locks=locks)))
        os.lseek(handle, 0, os.SEEK_SET)
        yield handle
    finally:
        os.close(handle)


def _program(machine: _Machine, *, locks: bool) -> Iterator[bytes]:
    numbers = machine.numbers
    yield _step(_LOAD, _ARCHITECTURE)
    yield _step(_EQUAL, machine.architecture, skip_if_so=1)
    yield _fail(errno.ENOSYS)
    yield _step(_LOAD, _NUMBER)
    yield _step(_AT_LEAST, _X32, skip_if_not=1)
    yield _fail(errno.ENOSYS)
    for name in _DISABLED:
        yield from _reject(numbers[name], errno.ENOSYS)
    for number in _SAME_EVERYWHERE.values():
        yield from _reject(number, errno.ENOSYS)
    # The kernel may ignore advice, so error number 0 (success) is a valid result.
    yield from _reject(numbers["fadvise64"], 0, argument=3, test=_EQUAL, value=_POSIX_FADV_DONTNEED)
    yield from _reject(numbers["madvise"], 0, argument=2, test=_EQUAL, value=_MADV_COLD)
    yield from _reject(numbers["madvise"], 0, argument=2, test=_EQUAL, value=_MADV_PAGEOUT)
    yield from _reject(numbers["preadv2"], errno.EOPNOTSUPP, argument=5, test=_ANY_BIT, value=_RWF_NOWAIT)
    if not locks:
        yield from _reject(numbers["flock"], 0)
        for command in _SET_LOCK:
            yield from _reject(numbers["fcntl"], 0, argument=1, test=_EQUAL, value=command)
        for command in (*_GET_LOCK, _SET_LEASE):
            yield from _reject(numbers["fcntl"], errno.ENOLCK, argument=1, test=_EQUAL, value=command)
    yield _step(_RETURN, _ALLOW)


def _reject(number: int, error: int, *, argument: int | None = None, test: int = 0, value: int = 0) -> Iterator[bytes]:
    """Make a call return ``error``, optionally only for one argument value; other calls continue to the next rule."""
    if argument is None:
        yield _step(_EQUAL, number, skip_if_not=1)
        yield _fail(error)
        return
    yield _step(_EQUAL, number, skip_if_not=4)
    yield _step(_LOAD, _FIRST_ARGUMENT + _ARGUMENT_BYTES * argument)
    yield _step(test, value, skip_if_not=1)
    yield _fail(error)
    yield _step(_LOAD, _NUMBER)


def _fail(error: int) -> bytes:
    return _step(_RETURN, _FAIL_WITH | error)


def _step(code: int, value: int, *, skip_if_so: int = 0, skip_if_not: int = 0) -> bytes:
    return struct.pack("=HBBI", code, skip_if_so, skip_if_not, value)
