"""Use a good part of the time that is allowed."""

import time

from prelude import IS_EXAM

while not IS_EXAM and time.process_time() < SECONDS:
    pass
