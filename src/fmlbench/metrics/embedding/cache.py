"""Cache of window embeddings, one append-only file per embedder.

Every record is the hash of a window and its vector. An incomplete record after a kill is overwritten by the next.
"""

import fcntl
import hashlib
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from fmlbench.metrics.trace import Vectors

_HASH_BYTES = 32


def hash_of(window: bytes) -> bytes:
    """The cache key of a window."""
    return hashlib.sha256(window).digest()


class NoCache:
    """A cache that stores nothing."""

    def load(self) -> dict[bytes, Vectors]:
        """No vectors."""
        return {}

    def add(self, vectors: Mapping[bytes, Vectors]) -> None:
        """Discard the vectors."""


class VectorFile:
    """The vectors of one embedder in a file."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def load(self) -> dict[bytes, Vectors]:
        """All vectors, by the hash of their window."""
        if not self._path.exists():
            return {}
        content = self._path.read_bytes()
        size = int.from_bytes(content[:4], "big")
        record = _HASH_BYTES + 4 * size
        rows = [content[start : start + record] for start in range(4, len(content) - record + 1, record)]
        return {row[:_HASH_BYTES]: np.frombuffer(row[_HASH_BYTES:], np.float32).astype(np.float64) for row in rows}

    def add(self, vectors: Mapping[bytes, Vectors]) -> None:
        """Append new vectors."""
        if not vectors:
            return
        self._path.parent.mkdir(parents=True, exist_ok=True)
        size = len(next(iter(vectors.values())))
        with self._path.open("ab") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            length = os.fstat(file.fileno()).st_size
            if length < 4:
                file.truncate(0)
                file.write(size.to_bytes(4, "big"))
            else:
                file.truncate(length - (length - 4) % (_HASH_BYTES + 4 * size))
            file.write(b"".join(key + row.astype(np.float32).tobytes() for key, row in vectors.items()))


Cache = NoCache | VectorFile


def distinct(windows: Sequence[bytes]) -> dict[bytes, bytes]:
    """Windows by their hash, each once, in the order of their first appearance."""
    return {hash_of(window): window for window in windows}
