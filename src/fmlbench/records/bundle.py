"""Export a run as one file: the contents of its folder, with a hash of every part. It contains no labels.

FILE.tar.gz
  manifest.json     format, run, and the hash of every other part
  metrics.json      every measure, as computed at export
  run/...           the run's folder, without its lock, the running experiment and the folders of a program
"""

import gzip
import hashlib
import io
import re
import tarfile
from collections.abc import Mapping
from pathlib import Path

from pydantic import ValidationError

from fmlbench.core.errors import BadRequest
from fmlbench.core.record import Record
from fmlbench.records.folder import RunFolder

FORMAT = 1
METRICS = "metrics.json"
_MANIFEST = "manifest.json"
_RUN = "run"
_NOT_PACKED = {"lock", "experiments"}
_OF_PROGRAMS = ("agent/work/", "agent/home/")
"""Folders that an agent program can fill with arbitrary files; its submissions are stored elsewhere."""
_CODE = "code.git"
_CODE_PARTS = re.compile(r"HEAD|packed-refs|refs/.+|objects/(?!info/).+")
"""Only the data of a repository: git would execute hooks and settings from an untrusted bundle."""
_MAX_BYTES = 8 * 2**30


class Manifest(Record):
    """The contents of a bundle."""

    format: int = FORMAT
    run: str
    parts: dict[str, str]
    """Hashes by name."""


def pack(folder: RunFolder, metrics: str, target: Path) -> Manifest:
    """Write a run's bundle; deterministic, so that the same run gives the same bytes."""
    parts = {METRICS: metrics.encode("utf-8"), **_parts_of(folder)}
    manifest = Manifest(run=folder.read_spec().run_id, parts={name: _hash(content) for name, content in parts.items()})
    unfinished = target.with_name(f"{target.name}.part")
    with (
        unfinished.open("wb") as file,
        gzip.GzipFile(filename="", fileobj=file, mode="wb", mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w") as archive,
    ):
        _add(archive, _MANIFEST, manifest.model_dump_json(indent=1).encode())
        for name, content in sorted(parts.items()):
            _add(archive, name, content)
    unfinished.replace(target)
    return manifest


def unpack(file: Path, target: Path) -> tuple[RunFolder, Manifest]:
    """Unpack a bundle into an empty folder and check every part against the manifest."""
    try:
        with tarfile.open(file, "r:gz") as archive:
            members = archive.getmembers()
            if any(not member.isreg() for member in members) or sum(one.size for one in members) > _MAX_BYTES:
                raise _not_a_bundle(file, "it contains links or folders, or is too large")
            archive.extractall(target, filter="data")
        manifest = Manifest.model_validate_json((target / _MANIFEST).read_bytes())
    except (tarfile.TarError, OSError, EOFError, ValidationError) as error:
        raise _not_a_bundle(file, type(error).__name__) from error
    if odd := [name for name in manifest.parts if not _belongs(name.removeprefix(f"{_RUN}/"))]:
        raise _not_a_bundle(file, f"'{odd[0]}' is not part of a bundle")
    _check_parts(file, target, manifest.parts)
    return RunFolder(target / _RUN), manifest


def _parts_of(folder: RunFolder) -> dict[str, bytes]:
    paths = [path for path in sorted(folder.path.rglob("*")) if path.is_file() and not path.is_symlink()]
    inside = {path.relative_to(folder.path).as_posix(): path for path in paths}
    return {
        f"{_RUN}/{name}": path.read_bytes()
        for name, path in inside.items()
        if _belongs(name) and not name.startswith(_OF_PROGRAMS)
    }


def _belongs(name: str) -> bool:
    """Whether a file of a run's folder is part of its bundle."""
    top, _, rest = name.partition("/")
    return top not in _NOT_PACKED and (top != _CODE or _CODE_PARTS.fullmatch(rest) is not None)


def _check_parts(file: Path, target: Path, parts: Mapping[str, str]) -> None:
    found = {path.relative_to(target).as_posix() for path in target.rglob("*") if path.is_file()} - {_MANIFEST}
    changed = [name for name in sorted(found & parts.keys()) if _hash((target / name).read_bytes()) != parts[name]]
    if odd := sorted(found ^ parts.keys()) + changed:
        raise _not_a_bundle(file, f"'{odd[0]}' does not match its manifest")


def _add(archive: tarfile.TarFile, name: str, content: bytes) -> None:
    info = tarfile.TarInfo(name)
    info.size = len(content)
    archive.addfile(info, io.BytesIO(content))


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _not_a_bundle(file: Path, why: str) -> BadRequest:
    return BadRequest(f"'{file}' is not a valid export of a run: {why}.", hint="Create one with: fmlbench export RUN")
