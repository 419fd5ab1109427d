"""What an embedder is: it cuts programs into windows and gives each window a vector.

A program's vector is the sum of its windows' vectors, so a window that did not change never needs embedding twice.
"""

from collections.abc import Mapping, Sequence
from typing import Protocol

from fmlbench.metrics.trace import Vectors


class Embedder(Protocol):
    """A way to turn code into vectors."""

    @property
    def name(self) -> str:
        """What users call it."""
        ...

    @property
    def digest(self) -> str:
        """The hash of everything that decides its vectors."""
        ...

    @property
    def near(self) -> float:
        """The cosine distance below which two programs count as the same idea."""
        ...

    def windows(self, files: Mapping[str, str]) -> Sequence[bytes]:
        """A program's windows; equal bytes have equal vectors."""
        ...

    def embed(self, windows: Sequence[bytes]) -> Vectors:
        """One row per window."""
        ...


def label_of(embedder: Embedder) -> str:
    """What stands on every figure: the name and the beginning of the digest."""
    return f"{embedder.name}-{embedder.digest[:8]}"
