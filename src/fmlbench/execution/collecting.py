"""Take what a stage handed in, trusting neither its files nor their contents.

No link is followed at any part of a path, only regular files with one name and a bounded size are read, and arrays are
parsed in a format that cannot execute.
"""

import io
import os
import stat
import tokenize
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
import numpy.typing as npt

from fmlbench.core.task import Answers

Array = npt.NDArray[Any]

_NOT_AN_ARRAY = (
    ValueError,
    TypeError,
    SyntaxError,
    MemoryError,
    RecursionError,
    EOFError,
    OverflowError,
    tokenize.TokenError,
)
"""What NumPy raises on bytes that are no array; found by fuzzing."""


class NotHandedIn(Exception):
    """Nothing was handed in where an answer was expected."""


class BadHandIn(Exception):
    """Something was handed in that cannot be taken; ``is_hostile`` where no honest program does that."""

    def __init__(self, reason: str, *, is_hostile: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.is_hostile = is_hostile


def read_handed_in(folder: Path, name: str, max_bytes: int) -> bytes:
    """Read a file that an untrusted process left below ``folder``."""
    parts = PurePosixPath(name).parts
    at = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for part in parts[:-1]:
            below = _open_without_links(part, os.O_RDONLY | os.O_DIRECTORY, at)
            os.close(at)
            at = below
        return _read_regular(parts[-1], at, max_bytes)
    finally:
        os.close(at)


def _open_without_links(name: str, flags: int, at: int) -> int:
    try:
        return os.open(name, flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=at)
    except FileNotFoundError as error:
        raise NotHandedIn(f"{name} was not handed in") from error
    except OSError as error:
        raise BadHandIn(f"{name} is not a plain file ({os.strerror(error.errno or 0)})", is_hostile=True) from error


def _read_regular(name: str, at: int, max_bytes: int) -> bytes:
    file = _open_without_links(name, os.O_RDONLY, at)
    try:
        facts = os.fstat(file)
        if not stat.S_ISREG(facts.st_mode):
            raise BadHandIn(f"{name} is not a regular file", is_hostile=True)
        if facts.st_nlink != 1:
            raise BadHandIn(f"{name} has {facts.st_nlink} names (a hard link)", is_hostile=True)
        if facts.st_size > max_bytes:
            raise BadHandIn(f"{name} has {facts.st_size} bytes; {max_bytes} are allowed")
        with os.fdopen(os.dup(file), "rb") as stream:
            # One byte more than allowed: the file may have grown since it was measured.
            content = stream.read(max_bytes + 1)
    finally:
        os.close(file)
    if len(content) > max_bytes:
        raise BadHandIn(f"{name} grew while it was read", is_hostile=True)
    return content


@dataclass(frozen=True)
class Expected:
    """What an array of answers must look like."""

    answers: Answers
    count: int | None
    """How many questions it answers; None for the answer to a single one."""

    @property
    def max_bytes(self) -> int:
        """What the largest acceptable file has, its header included."""
        sizes = [self.answers.max_size if size < 0 else size for size in self.answers.shape]
        numbers = int(np.prod(sizes, dtype=np.int64)) * (1 if self.count is None else self.count)
        return numbers * 8 + 4096

    def parse(self, content: bytes) -> Array:
        """The array in these bytes, if it is what was asked for."""
        try:
            # Not np.load: it would also open archives and pickles.
            array: Array = np.lib.format.read_array(io.BytesIO(content), allow_pickle=False)
        except _NOT_AN_ARRAY as error:
            is_pickle = "Object arrays" in str(error)
            raise BadHandIn(f"the answers are not a .npy array ({_first_line(error)})", is_hostile=is_pickle) from error
        self._check_shape(array)
        return self._converted(array)

    def _check_shape(self, array: Array) -> None:
        wanted = self.answers.shape if self.count is None else (self.count, *self.answers.shape)
        fits = len(array.shape) == len(wanted) and all(
            size == want if want >= 0 else 1 <= size <= self.answers.max_size
            for size, want in zip(array.shape, wanted, strict=True)
        )
        if not fits:
            raise BadHandIn(f"the answers have shape {array.shape}; expected {wanted}")

    def _converted(self, array: Array) -> Array:
        wanted = np.dtype(self.answers.dtype)
        if wanted.kind == "i" and array.dtype.kind not in "iu":
            raise BadHandIn(f"the answers are {array.dtype}; whole numbers are expected")
        if wanted.kind == "f" and array.dtype.kind not in "fiu":
            raise BadHandIn(f"the answers are {array.dtype}; numbers are expected")
        if wanted.kind == "i" and array.size and int(array.max()) > np.iinfo(wanted).max:
            raise BadHandIn(f"the answers hold {array.max()}, which does not fit into {wanted}")
        # What is too large for a float becomes infinite, which is looked for below; the user need not hear of it.
        with np.errstate(over="ignore"):
            converted = array.astype(wanted)
        if wanted.kind == "f" and not np.isfinite(converted).all():
            raise BadHandIn("the answers are not all finite")
        return converted


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0][:120]
