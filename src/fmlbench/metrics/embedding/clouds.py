"""Embed all steps of a run; each distinct window is embedded once."""

from collections.abc import Mapping, Sequence

import numpy as np

from fmlbench.core.steps import Step
from fmlbench.core.task import Task
from fmlbench.metrics.embedding.cache import Cache, distinct, hash_of
from fmlbench.metrics.embedding.embedder import Embedder, label_of
from fmlbench.metrics.trace import Cloud, Vectors
from fmlbench.records.folder import RunFolder
from fmlbench.workspace.snapshots import Snapshots

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
