"""Read the answers that a stage wrote, trusting neither its files nor their contents.

No symbolic link is followed in any part of a path. Only regular files with one hard link and a bounded size are read.
Arrays are parsed from .npy without pickle, so their content cannot execute code.
"""

import math
import os
import re
import stat
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from fmlbench.core.task import AnswerFormat

Array = npt.NDArray[Any]

_MAGIC = b"\x93NUMPY"
_HEADER = re.compile(
    rb"\{'descr': '([<>|=]?[a-zA-Z]\d{0,9})', 'fortran_order': (True|False), 'shape': \(([\d, ]{0,200})\), \} *\n"
)
"""The header that NumPy writes for arrays of one plain type. A crafted file can crash NumPy's own reader."""
_NUMBERS = "biufc"


class AnswersMissing(Exception):
    """The expected answer file does not exist."""


class BadAnswers(Exception):
    """The answers are invalid; ``is_hostile`` if no honest program writes such a file."""

    def __init__(self, reason: str, *, is_hostile: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.is_hostile = is_hostile


def read_untrusted_file(folder: Path, name: str, max_bytes: int) -> bytes:
    """Read a file that an untrusted process left below ``folder``."""
    parts = PurePosixPath(name).parts
    at = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for part in parts[:-1]:
            child = _open_without_links(part, os.O_RDONLY | os.O_DIRECTORY, at)
            os.close(at)
            at = child
        return _read_regular(parts[-1], at, max_bytes)
    finally:
        os.close(at)


def _open_without_links(name: str, flags: int, at: int) -> int:
    try:
        return os.open(name, flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=at)
    except FileNotFoundError as error:
        raise AnswersMissing(f"{name} was not written") from error
    except OSError as error:
        raise BadAnswers(f"{name} is not a plain file ({os.strerror(error.errno or 0)})", is_hostile=True) from error


def _read_regular(name: str, at: int, max_bytes: int) -> bytes:
    file = _open_without_links(name, os.O_RDONLY, at)
    try:
        facts = os.fstat(file)
        if not stat.S_ISREG(facts.st_mode):
            raise BadAnswers(f"{name} is not a regular file", is_hostile=True)
        if facts.st_nlink != 1:
            raise BadAnswers(f"{name} has {facts.st_nlink} hard links", is_hostile=True)
        if facts.st_size > max_bytes:
            raise BadAnswers(f"{name} has {facts.st_size} bytes; {max_bytes} are allowed")
        with os.fdopen(os.dup(file), "rb") as stream:
            # One byte more than allowed: the file may have grown since it was measured.
            content = stream.read(max_bytes + 1)
    finally:
        os.close(file)
    if len(content) > max_bytes:
        raise BadAnswers(f"{name} grew while it was read", is_hostile=True)
    return content


@dataclass(frozen=True)
class ExpectedAnswers:
    """The required format of an array of answers."""

    answers: AnswerFormat
    count: int | None
    """Number of questions; None for the answer to a single question."""

    @property
    def max_bytes(self) -> int:
        """The size of the largest valid file, header included."""
        sizes = [self.answers.max_size if size < 0 else size for size in self.answers.shape]
        numbers = int(np.prod(sizes, dtype=np.int64)) * (1 if self.count is None else self.count)
        return numbers * 8 + 4096

    def parse(self, content: bytes) -> Array:
        """Parse a .npy file; raises BadAnswers if shape, type or values are invalid."""
        return self._converted(read_array(content, self._check_shape))

    def _check_shape(self, shape: tuple[int, ...]) -> None:
        wanted = self.answers.shape if self.count is None else (self.count, *self.answers.shape)
        fits = len(shape) == len(wanted) and all(
            size == want if want >= 0 else 1 <= size <= self.answers.max_size
            for size, want in zip(shape, wanted, strict=True)
        )
        if not fits:
            raise BadAnswers(f"the answers have shape {shape}; expected {wanted}")

    def _converted(self, array: Array) -> Array:
        wanted = np.dtype(self.answers.dtype)
        if wanted.kind == "i" and array.dtype.kind not in "iu":
            raise BadAnswers(f"the answers are {array.dtype}; integers are expected")
        if wanted.kind == "f" and array.dtype.kind not in "fiu":
            raise BadAnswers(f"the answers are {array.dtype}; numbers are expected")
        if wanted.kind == "i" and array.size and int(array.max()) > np.iinfo(wanted).max:
            raise BadAnswers(f"the answers contain {array.max()}, which does not fit into {wanted}")
        # Values too large for a float become infinite and are rejected below, so NumPy's warning is suppressed.
        with np.errstate(over="ignore"):
            converted = array.astype(wanted)
        if wanted.kind == "f" and not np.isfinite(converted).all():
            raise BadAnswers("the answers are not all finite")
        return converted


def read_array(content: bytes, check_shape: Callable[[tuple[int, ...]], None] = lambda _: None) -> Array:
    """Parse a .npy file of numbers; the shape is checked before the array is created."""
    header, data = _split(content)
    dtype, order, shape = _read_header(header)
    if dtype.kind not in _NUMBERS:
        raise BadAnswers(f"the answers are {dtype}; numbers are expected", is_hostile=dtype.kind == "O")
    check_shape(shape)
    size = math.prod(shape) * dtype.itemsize
    if len(data) != size:
        raise BadAnswers(f"the answers have {len(data)} bytes; their header declares {size}")
    return np.frombuffer(data, dtype).reshape(shape, order=order)


def _split(content: bytes) -> tuple[bytes, bytes]:
    """The header and the data of a .npy file."""
    version = content[len(_MAGIC) : len(_MAGIC) + 1]
    width = {b"\1": 2, b"\2": 4, b"\3": 4}.get(version)
    if not content.startswith(_MAGIC) or width is None:
        raise BadAnswers("the answers are not a .npy array")
    start = len(_MAGIC) + 2 + width
    end = start + int.from_bytes(content[start - width : start], "little")
    return content[start:end], content[end:]


def _read_header(header: bytes) -> tuple[np.dtype[Any], Literal["C", "F"], tuple[int, ...]]:
    """Type, order and shape of an array."""
    found = _HEADER.fullmatch(header)
    if not found:
        raise BadAnswers("the answers are not a .npy array of numbers")
    try:
        dtype = np.dtype(found[1].decode("ascii"))
        shape = tuple(int(size) for size in found[3].decode("ascii").split(",") if size.strip())
    except (TypeError, ValueError) as error:
        raise BadAnswers("the header of the answers is invalid") from error
    return dtype, "F" if found[2] == b"True" else "C", shape
