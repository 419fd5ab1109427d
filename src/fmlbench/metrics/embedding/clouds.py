"""Embed all steps of a run; each distinct window is embedded once.

A cache is one append-only file per embedder. Every record is the hash of a window and its vector. An incomplete record
after a kill is overwritten by the next.
"""

import fcntl
import hashlib
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from fmlbench.core.steps import Step
from fmlbench.core.task import Task
from fmlbench.metrics.embedding.embedder import Embedder, label_of
from fmlbench.metrics.trace import Cloud, Vectors
from fmlbench.records.folder import RunFolder
from fmlbench.workspace.snapshots import Snapshots

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


def cache_for(embedder: Embedder, folder: Path) -> Cache:
    """The cache of an embedder in a folder."""
    return VectorFile(folder / f"{label_of(embedder)}.vectors") if embedder.is_cached else NoCache()


def distinct(windows: Sequence[bytes]) -> dict[bytes, bytes]:
    """Windows by their hash, each once, in the order of their first appearance."""
    return {hash_of(window): window for window in windows}


Program = Mapping[str, str]


def embed_run(folder: RunFolder, steps: Sequence[Step], task: Task, embedder: Embedder, cache: Cache) -> Cloud | None:
    """The vectors of a run's steps; None if there are no steps."""
    if not steps:
        return None
    codes = Snapshots(folder.code).read_all(list(dict.fromkeys(step.snapshot for step in steps)))
    programs = narrowed([codes[step.snapshot] for step in steps], task.editable.suggested)
    points = embed_programs(embedder, programs, cache)
    return Cloud(embedder=label_of(embedder), near=embedder.near, points=points)


def narrowed(codes: Sequence[Program], suggested: Sequence[str]) -> list[Program]:
    """Keep the same files of every step: the suggested ones and those that any step changed."""
    baseline = codes[0]
    kept = set(suggested)
    for code in codes[1:]:
        kept |= {path for path in code.keys() | baseline.keys() if code.get(path) != baseline.get(path)}
    return [{path: text for path, text in code.items() if path in kept} for code in codes]


def embed_programs(embedder: Embedder, programs: Sequence[Program], cache: Cache) -> Vectors:
    """One row per program: the sum of its windows' vectors."""
    windows = [embedder.windows(program) for program in programs]
    needed = distinct([window for program in windows for window in program])
    known = cache.load()
    missing = {key: window for key, window in needed.items() if key not in known}
    if missing:
        fresh = dict(zip(missing, embedder.embed(list(missing.values())), strict=True))
        cache.add(fresh)
        known |= fresh
    size = len(next(iter(known.values()))) if known else 1
    return np.stack([_sum([known[hash_of(window)] for window in program], size) for program in windows])


def _sum(rows: Sequence[Vectors], size: int) -> Vectors:
    return np.stack(rows).sum(axis=0) if rows else np.zeros(size)
