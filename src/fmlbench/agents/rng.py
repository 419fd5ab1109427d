"""Dice that fall the same way whenever the same throw is repeated."""

import hashlib
from random import Random


def seeded_rng(seed: int, what: str, index: int) -> Random:
    """Dice for one throw of a run, whatever was thrown before: resuming is replaying.

    Python's own ``hash`` differs from process to process, so the throw is named by a SHA-256. Nothing here is secret.
    """
    name = f"{seed}/{what}/{index}"
    return Random(int.from_bytes(hashlib.sha256(name.encode()).digest()))  # noqa: S311
