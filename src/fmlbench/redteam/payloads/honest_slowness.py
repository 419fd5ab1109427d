"""Use a large part of the allowed time."""

import time

from prelude import IS_EXAM

while not IS_EXAM and time.process_time() < SECONDS:
    pass
