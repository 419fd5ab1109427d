"""The embedder protocol: split programs into windows and compute a vector per window.

A program's vector is the sum of its windows' vectors, so unchanged windows are embedded only once.
"""

from collections.abc import Mapping, Sequence
from typing import Protocol

from fmlbench.metrics.trace import Vectors


class Embedder(Protocol):
    """Computes vectors from code."""

    @property
    def name(self) -> str:
        """The name in --embedder."""
        ...

    @property
    def digest(self) -> str:
        """The hash of everything that determines its vectors."""
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
    """The label on every value: the name and a prefix of the digest."""
    return f"{embedder.name}-{embedder.digest[:8]}"
