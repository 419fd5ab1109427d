import platform
import subprocess
import sys

import pytest

from fmlbench.execution.bubblewrap import find_bubblewrap
from fmlbench.execution.syscall_filter import open_syscall_filter

pytestmark = pytest.mark.sandbox

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


@pytest.mark.skipif(platform.machine() not in {"x86_64", "aarch64"}, reason="there is no filter for this machine")
def test_what_is_in_memory_is_not_told_and_everything_else_goes_on():
    bubblewrap = find_bubblewrap()
    assert bubblewrap is not None
    with open_syscall_filter() as handle:
        assert handle is not None
        # Not /tmp for temporary files: this checkout, and so its Python, may lie there.
        places = ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--setenv", "TMPDIR", "/dev/shm"]
        options = [*places, "--seccomp", str(handle)]
        done = subprocess.run(
            [bubblewrap, *options, sys.executable, "-c", ASK],
            pass_fds=[handle],
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        )
    assert done.stdout.split() == ["ENOTSUP", "ok", "ok", "ok", "ok", "ENOSYS", "ENOSYS"]
