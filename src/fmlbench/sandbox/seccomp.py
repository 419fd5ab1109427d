"""Which system calls a sealed job does without, as a program for the kernel (seccomp).

Two sittings of an exam must not talk to each other. They share nothing they can write, but the files they read, and
the kernel tells whoever asks which parts of a file are in memory, and drops parts on demand: a letter box. So such
questions are not answered and such demands are ignored. Locks are another one: whoever can read a file can lock it, and
whoever else can read it can see that. A stage gets every lock that it asks for, and none is made. Besides, calls that
no training code needs are switched off, because the kernel's rarely used corners are where ways out of sandboxes have
been found.
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
"""Calls from here on are the same as below, by another name."""

_NOT_WAITING = 8
_DROP_FROM_MEMORY = 4
_COLD, _PAGE_OUT = 20, 21


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
_SWITCHED_OFF = ("mincore", "bpf", "perf_event_open", "userfaultfd", "add_key", "request_key", "keyctl")


_LOCK = (6, 7, 37, 38)
_ASK_FOR_LOCKS = (5, 36)
_LEASE = 1024
"""What fcntl is told to do, of one process or of one open file."""


@contextmanager
def open_syscall_filter(*, locks: bool) -> Generator[int | None]:
    """A file with the program, to be read once; None for machines whose numbers we do not know.

    Only where nobody may be signalled to, ``locks`` are real.
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
    for name in _SWITCHED_OFF:
        yield from _unless(numbers[name], errno.ENOSYS)
    for number in _SAME_EVERYWHERE.values():
        yield from _unless(number, errno.ENOSYS)
    # Advice may be ignored: zero tells the caller that all is well.
    yield from _unless(numbers["fadvise64"], 0, argument=3, test=_EQUAL, value=_DROP_FROM_MEMORY)
    yield from _unless(numbers["madvise"], 0, argument=2, test=_EQUAL, value=_COLD)
    yield from _unless(numbers["madvise"], 0, argument=2, test=_EQUAL, value=_PAGE_OUT)
    yield from _unless(numbers["preadv2"], errno.EOPNOTSUPP, argument=5, test=_ANY_BIT, value=_NOT_WAITING)
    if not locks:
        yield from _unless(numbers["flock"], 0)
        for order in _LOCK:
            yield from _unless(numbers["fcntl"], 0, argument=1, test=_EQUAL, value=order)
        for order in (*_ASK_FOR_LOCKS, _LEASE):
            yield from _unless(numbers["fcntl"], errno.ENOLCK, argument=1, test=_EQUAL, value=order)
    yield _step(_RETURN, _ALLOW)


def _unless(number: int, error: int, *, argument: int | None = None, test: int = 0, value: int = 0) -> Iterator[bytes]:
    """Fail a call, or only with some value of one of its arguments; any other call goes on to the next lines."""
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
