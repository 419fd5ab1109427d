"""Print as much as possible without a line break."""

import os

from prelude import IS_EXAM

if not IS_EXAM:
    for _ in range(MEGABYTES):
        os.write(1, b"x" * 2**20)
