"""Random generators that are reproducible for each decision of a run."""

import hashlib
from random import Random


def seeded_rng(seed: int, what: str, index: int) -> Random:
    """The generator for one decision, independent of earlier ones, so that a resumed run makes the same decisions.

    Seeded by SHA-256, because Python's ``hash`` differs between processes.
    """
    name = f"{seed}/{what}/{index}"
    return Random(int.from_bytes(hashlib.sha256(name.encode()).digest()))  # noqa: S311
