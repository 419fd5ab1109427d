import errno
import fcntl
import platform
import subprocess
import sys
from pathlib import Path

import pytest

from fmlbench.sandbox.bubblewrap import find_bubblewrap
from fmlbench.sandbox.seccomp import open_syscall_filter

pytestmark = [
    pytest.mark.sandbox,
    pytest.mark.skipif(platform.machine() not in {"x86_64", "aarch64"}, reason="there is no filter for this machine"),
]

ASK = """
import ctypes, errno, mmap, os, tempfile

def why(deed):
    try:
        deed()
    except OSError as error:
        return errno.errorcode[error.errno]
    return "ok"

def call(number):
    if ctypes.CDLL(None, use_errno=True).syscall(number, 0, 0, 0, 0, 0, 0) < 0:
        raise OSError(ctypes.get_errno(), "")

with tempfile.TemporaryFile() as file:
    file.write(bytes(8192))
    file.flush()
    memory = mmap.mmap(file.fileno(), 8192)
    print(
        why(lambda: os.preadv(file.fileno(), [bytearray(1)], 0, os.RWF_NOWAIT)),
        why(lambda: os.preadv(file.fileno(), [bytearray(1)], 0)),
        why(lambda: os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)),
        why(lambda: os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_WILLNEED)),
        why(lambda: memory.madvise(mmap.MADV_DONTNEED)),
        why(lambda: call(425)),
        why(lambda: call(451)),
    )
"""


LOCK = """
import fcntl, struct, sys

def conflict(order):
    \"\"\"The kind of a lock that is in the way of one on the first byte.\"\"\"
    wanted = struct.pack("hhqqi4x", fcntl.F_WRLCK, 0, 0, 1, 0)
    try:
        return struct.unpack("hhqqi4x", fcntl.fcntl(file, order, wanted))[0]
    except OSError as error:
        return error.errno

with open(sys.argv[1], "rb") as file:
    for lock in (fcntl.flock, fcntl.lockf):
        try:
            lock(file, (fcntl.LOCK_EX if lock is fcntl.flock else fcntl.LOCK_SH) | fcntl.LOCK_NB)
            print("locked")
        except OSError:
            print("is locked")
    print(conflict(fcntl.F_GETLK), conflict(36))
"""


def said(program: str, *words: str, locks: bool = False) -> list[str]:
    """The output of a program under the filter."""
    bubblewrap = find_bubblewrap()
    assert bubblewrap is not None
    with open_syscall_filter(locks=locks) as handle:
        assert handle is not None
        # Not /tmp for temporary files: this checkout, and so its Python, may be there.
        options = ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--setenv", "TMPDIR", "/dev/shm"]
        done = subprocess.run(
            [bubblewrap, *options, "--seccomp", str(handle), sys.executable, "-c", program, *words],
            pass_fds=[handle],
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        )
    return done.stdout.split()


def test_page_cache_queries_fail_and_other_calls_work():
    assert said(ASK) == ["ENOTSUP", "ok", "ok", "ok", "ok", "ENOSYS", "ENOSYS"]


def test_without_locks_lock_calls_succeed_and_lock_nothing(tmp_path: Path):
    shared = tmp_path / "shared"
    shared.write_bytes(b"x")
    with shared.open("rb+") as file:
        fcntl.flock(file, fcntl.LOCK_SH)
        fcntl.lockf(file, fcntl.LOCK_EX)
        assert said(LOCK, str(shared)) == ["locked", "locked", *[str(errno.ENOLCK)] * 2]
        assert said(LOCK, str(shared), locks=True) == ["is", "locked"] * 2 + [str(fcntl.F_WRLCK)] * 2
