"""Search for exam rows and labels in files that a candidate can read.

Upstream repositories and packages ship data. The first search looks for the bytes of sampled exam rows and of labels in
the repository, the visible data and the data files of the environment. The second looks for copies of the raw data.
"""

import bz2
import gzip
import hashlib
import lzma
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from fmlbench.core.task import ExamName
from fmlbench.experiment.answers import Array
from fmlbench.experiment.prepared_task import PreparedTask
from fmlbench.experiment.samples import Sample

_SAMPLED_ROWS = 24
_NEEDLE_BYTES = 512
"""This much of a row identifies it."""
_NEEDLE_BITS = 64
"""Shorter needles match by chance: many packages contain five small numbers in any order."""
_LABELS_IN_A_ROW = 64
_MAX_FILE_BYTES = 256 * 2**20
_NOT_DATA = {".py", ".pyc", ".so", ".pyi", ".h", ".hpp", ".cpp", ".a", ".o", ".md", ".rst", ".html", ".cuh"}
"""In an environment, files with these suffixes are code and skipped; in the repository all files are searched."""
_DECOMPRESS = {".gz": gzip.decompress, ".tgz": gzip.decompress, ".bz2": bz2.decompress, ".xz": lzma.decompress}
_ZIPPED = {".npz", ".zip", ".whl"}
_DAMAGE = (OSError, EOFError, ValueError, zlib.error, lzma.LZMAError, zipfile.BadZipFile, RuntimeError)
"""Errors of unpacking damaged, encrypted or unsupported archives."""


def find_leaks(prepared: PreparedTask, sample: Sample) -> list[str]:
    """Every file in which a candidate could find exam rows or labels, as text."""
    needles = _needles(sample)
    raw = _fingerprints(prepared.raw)
    leaks: list[str] = []
    for what, path in _reachable(prepared, sample):
        content = _content(path)
        hits = {name for name, needle in needles if needle in content}
        if path.stat().st_size in raw.values() and hashlib.sha256(path.read_bytes()).hexdigest() in raw:
            hits.add("a copy of the raw data")
        leaks.extend(f"{what}: {path.name} contains {hit}" for hit in sorted(hits))
    return leaks


def _fingerprints(folders: Sequence[Path]) -> dict[str, int]:
    """The size of every raw data file, by hash."""
    files = [path for folder in folders for path in ([folder] if folder.is_file() else _files(folder))]
    return {hashlib.sha256(path.read_bytes()).hexdigest(): path.stat().st_size for path in files}


def _needles(sample: Sample) -> list[tuple[str, bytes]]:
    rng = np.random.default_rng(0)
    found: list[tuple[str, bytes]] = []
    for exam in ExamName:
        for path in sorted(sample.questions(exam).glob("*.npy")):
            rows: Array = np.load(path, allow_pickle=False)
            # A question may be a stack of rows (an episode), but a package would contain single rows.
            rows = rows.reshape(-1, *rows.shape[2:]) if rows.ndim > 3 else rows
            chosen = rng.choice(len(rows), min(_SAMPLED_ROWS, len(rows)), replace=False)
            found += [(f"a row of the {exam} exam", needle) for row in rows[chosen] for needle in _slices(row)]
        for path in sorted(sample.labels(exam).glob("*.npy")):
            labels: Array = np.load(path, allow_pickle=False)
            found += [(f"labels of the {exam} exam", needle) for needle in _slices(labels[:_LABELS_IN_A_ROW])]
    return found


def _slices(row: Array) -> list[bytes]:
    """Bytes that identify a row; empty for rows with too little information."""
    content = np.ascontiguousarray(row).tobytes()
    middle = content[max(0, (len(content) - _NEEDLE_BYTES) // 2) :][:_NEEDLE_BYTES]
    return [middle] if _bits(middle) >= _NEEDLE_BITS else []


def _bits(content: bytes) -> float:
    """The information in some bytes: their length times the entropy of their byte frequencies."""
    counts = np.unique(np.frombuffer(content, np.uint8), return_counts=True)[1]
    return float(-(counts * np.log2(counts / len(content))).sum()) if content else 0.0


def _reachable(prepared: PreparedTask, sample: Sample) -> Iterator[tuple[str, Path]]:
    for path in _files(prepared.codebase):
        yield "repository", path
    for part in sorted({part for training in prepared.track.training for part in training.data}):
        for path in _files(sample.visible(part)):
            yield "visible data", path
    for folder in prepared.python.folders:
        for path in _files(folder):
            if path.suffix not in _NOT_DATA and not _is_within(path, prepared.python.hidden):
                yield "environment", path


def _files(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink() and path.stat().st_size <= _MAX_FILE_BYTES:
            yield path


def _is_within(path: Path, folders: Sequence[Path]) -> bool:
    return any(path.is_relative_to(folder) for folder in folders)


def _content(path: Path) -> bytes:
    """A file's bytes, unpacked if it is a valid archive of a common kind."""
    try:
        if path.suffix in _DECOMPRESS:
            return _DECOMPRESS[path.suffix](path.read_bytes())
        if path.suffix in _ZIPPED:
            with zipfile.ZipFile(path) as archive:
                return b"".join(archive.read(name) for name in archive.namelist())
    except _DAMAGE:
        pass
    return path.read_bytes()
