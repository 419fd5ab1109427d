"""Raise resource limits, patch the clock, and detach from the parent process."""

import contextlib
import ctypes
import os
import resource
import time
from functools import partial

from prelude import attempt

LIMITS = (resource.RLIMIT_FSIZE, resource.RLIMIT_NPROC, resource.RLIMIT_NOFILE, resource.RLIMIT_CORE)
DEATH_SIGNAL, SUBREAPER = 1, 36

for limit in LIMITS:
    hard = resource.getrlimit(limit)[1]
    if hard != resource.RLIM_INFINITY:
        attempt(f"a higher limit {limit}", partial(resource.setrlimit, limit, (hard + 1, hard + 1)))
libc = ctypes.CDLL(None)
libc.prctl(DEATH_SIGNAL, 0, 0, 0, 0)
libc.prctl(SUBREAPER, 1, 0, 0, 0)
with contextlib.suppress(OSError):
    os.setsid()
for name in ("time", "monotonic", "perf_counter", "process_time"):
    setattr(time, name, lambda: 0.0)
