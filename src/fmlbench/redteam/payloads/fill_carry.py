"""Write more into the carry folder than is allowed, openly or in a form that looks small."""

import os

from prelude import CARRY, IS_EXAM

if not IS_EXAM:
    with open(CARRY / "table", "wb") as file:
        file.truncate(9 * 2**20)
    for number in range(9):
        (CARRY / f"part{number}").write_bytes(os.urandom(2**20))
