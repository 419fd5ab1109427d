"""Imitate an infrastructure failure, because such steps are free."""

import os
import resource
import signal
import sys

from prelude import IS_EXAM

WAYS = {
    "killed": lambda: os.kill(os.getpid(), signal.SIGKILL),
    "aborted": os.abort,
    "code of bubblewrap": lambda: os._exit(1),
    "code of a killed job": lambda: os._exit(137),
    "no more files": lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (0, 0)),
}

if not IS_EXAM:
    print("bwrap: Creating new namespace failed: No space left on device", file=sys.stderr, flush=True)
    WAYS[VARIANT]()
