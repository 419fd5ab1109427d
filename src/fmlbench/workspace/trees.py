"""Create the tree of an experiment, and read the files of a repository.

Only editable files are taken from a candidate, so a tree is always the pinned upstream plus allowed changes.

Globs name editable files. Paths are relative and use ``/``. ``**`` as a complete part matches any number of folders,
including none; ``*`` and ``?`` match within one part. A glob that ends in ``**`` matches every file below. No other
character is special.
"""

import os
import re
import shutil
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path

from fmlbench.core.task import Editable
from fmlbench.workspace.digests import files_in
from fmlbench.workspace.files import remove_folder

READABLE_BYTES = 400_000
"""Agents see text files up to this size; larger files count as data."""


def matches(path: str, globs: Iterable[str]) -> bool:
    """Whether any of the globs matches this path."""
    return any(_pattern(glob).fullmatch(path) for glob in globs)


@lru_cache(maxsize=256)
def _pattern(glob: str) -> re.Pattern[str]:
    *folders, last = glob.split("/")
    pattern = "".join("(?:[^/]+/)*" if part == "**" else f"{_part(part)}/" for part in folders)
    return re.compile(pattern + ("(?:[^/]+/)*[^/]+" if last == "**" else _part(last)))


def _part(part: str) -> str:
    return "".join({"*": "[^/]*", "?": "[^/]"}.get(letter) or re.escape(letter) for letter in part)


def lay_out(codebase: Path, files: Mapping[str, str], editable: Editable, tree: Path, *, shared: bool = False) -> None:
    """Create ``tree``: the codebase with the candidate's files in place of the editable ones.

    An existing tree is removed. ``shared`` hard-links files instead of copying them, which is ten times as fast. It is
    only for trees that a sandbox mounts read-only: writing through a link would change the codebase of every later
    experiment.
    """
    remove_folder(tree)
    replaced = editable_files(codebase, editable).keys() | files.keys()
    kept = [path for path in repository_files(codebase) if path not in replaced]
    for folder in {(tree / path).parent for path in (*kept, *files)} | {tree}:
        folder.mkdir(parents=True, exist_ok=True)
    place = _link if shared else _copy
    for path in kept:
        place(codebase / path, tree / path)
    # In sorted order: a candidate could read the original order, which is hidden information, from a folder listing.
    for path, text in sorted(files.items()):
        (tree / path).write_bytes(text.encode("utf-8"))


def editable_files(codebase: Path, editable: Editable) -> dict[str, str]:
    """The baseline's editable text files, by path; binary files are never editable."""
    named = (path for path in repository_files(codebase) if matches(path, editable.globs))
    return {path: text for path in named if (text := _text_of(codebase / path)) is not None}


def repository_files(codebase: Path) -> list[str]:
    """Every file of a repository, by path within it."""
    return [path.relative_to(codebase).as_posix() for path in files_in(codebase)]


def repository_texts(codebase: Path) -> dict[str, str]:
    """Every text file of a repository up to ``READABLE_BYTES``, by path."""
    small = (path for path in repository_files(codebase) if (codebase / path).stat().st_size <= READABLE_BYTES)
    return {path: text for path in small if (text := _text_of(codebase / path)) is not None}


def _text_of(path: Path) -> str | None:
    content = path.read_bytes()
    if b"\0" in content:
        return None
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        return None


def _copy(source: Path, target: Path) -> None:
    shutil.copyfile(source, target)


def _link(source: Path, target: Path) -> None:
    try:
        os.link(source, target)
    except OSError:
        # Another file system, another owner, or too many links.
        _copy(source, target)
