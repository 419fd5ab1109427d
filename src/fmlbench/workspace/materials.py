"""Codebases and data sets: fetched from the first working source, verified, patched, read-only."""

import hashlib
import re
import shutil
from pathlib import Path

from fmlbench.core.errors import ChecksumMismatch, SourceUnavailable, TaskInvalid
from fmlbench.core.progress import Progress
from fmlbench.core.sources import Material, Patch, PathSource
from fmlbench.workspace.digests import digest_of, files_in
from fmlbench.workspace.dirs import Dirs
from fmlbench.workspace.downloads import SourceFailed, WrongChecksum
from fmlbench.workspace.fetcher import Fetcher, describe
from fmlbench.workspace.files import disk_trouble_explained, exclusive, replace_folder, scratch_beside

_READ_ONLY = 0o444


def obtain(material: Material, *, task_folder: Path, dirs: Dirs, progress: Progress) -> Path:
    """Return the folder with a material's files; cached, so that later calls need no network."""
    folder = _folder_of(material, task_folder, dirs)
    if folder.is_dir():
        return folder
    with disk_trouble_explained(dirs.cache), exclusive(folder):
        if not folder.is_dir():
            with scratch_beside(folder) as scratch:
                files = _make(material, Fetcher(task_folder, dirs.downloads, progress), scratch)
                for path in files_in(files):
                    path.chmod(_READ_ONLY)
                replace_folder(files, folder)
    return folder


def is_intact(material: Material, *, task_folder: Path, dirs: Dirs, progress: Progress) -> bool:
    """Whether the cached files still match their source; cached archives are not downloaded again."""
    folder = _folder_of(material, task_folder, dirs)
    with disk_trouble_explained(dirs.cache), exclusive(folder), scratch_beside(folder) as scratch:
        fetched = _make(material, Fetcher(task_folder, dirs.downloads, progress), scratch)
        return digest_of(fetched) == digest_of(folder)


def _folder_of(material: Material, task_folder: Path, dirs: Dirs) -> Path:
    return dirs.materials / f"{_slug(material.name)}-{_key(material, task_folder)}"


def _make(material: Material, fetcher: Fetcher, scratch: Path) -> Path:
    """The fetched and patched files."""
    files = _fetch_any(material, fetcher, scratch)
    for patch in material.patches:
        _apply(patch, files, material.name)
    return files


def _fetch_any(material: Material, fetcher: Fetcher, scratch: Path) -> Path:
    """The files of the first source with the right checksum."""
    failures: list[tuple[str, SourceFailed]] = []
    for number, source in enumerate(material.sources):
        attempt = scratch / str(number)
        attempt.mkdir()
        try:
            files = scratch / f"{number}-files"
            _move_or_copy(fetcher.fetch(source, attempt), files)
            _check_digest(material, files)
        except SourceFailed as failure:
            failures.append((describe(source), failure))
        else:
            return files
    raise _refusal(material, failures)


def _move_or_copy(found: Path, target: Path) -> None:
    """Move fetched files; copy local ones, without .git and caches."""
    if found.is_dir() and found.is_relative_to(target.parent):
        found.rename(target)
        return
    target.mkdir()
    root, paths = (found, files_in(found)) if found.is_dir() else (found.parent, [found])
    for path in paths:
        copy = target / path.relative_to(root)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, copy)


def _check_digest(material: Material, files: Path) -> None:
    found = digest_of(files)
    if material.digest not in {None, found}:
        raise WrongChecksum(f"the digest of its files is {found}, not {material.digest}")


def _refusal(material: Material, failures: list[tuple[str, SourceFailed]]) -> SourceUnavailable | ChecksumMismatch:
    reasons = "; ".join(f"{source}: {failure}" for source, failure in failures)
    what = f"{material.name} {material.version}"
    if any(isinstance(failure, WrongChecksum) for _, failure in failures):
        return ChecksumMismatch(
            f"The files of {what} do not match the task's checksum ({reasons}).",
            hint="They were deleted. Try again; if it fails again, the source has changed: report it to the authors.",
        )
    if all(isinstance(source, PathSource) for source in material.sources):
        return SourceUnavailable(
            f"{what} is not on this machine ({reasons}).",
            hint="Copy it there; the README in the task's folder says where to get it.",
        )
    return SourceUnavailable(
        f"{what} could not be fetched from any of its sources ({reasons}).",
        hint="Check the network and try again; downloads continue where they stopped. See also 'fmlbench doctor'.",
    )


def _apply(patch: Patch, files: Path, name: str) -> None:
    path = files / patch.file
    text = path.read_bytes().decode("utf-8") if path.is_file() else ""
    try:
        path.write_bytes(patch.apply(text).encode("utf-8"))
    except ValueError as error:
        problem = error if path.is_file() else f"{patch.file} does not exist"
        raise TaskInvalid(
            f"A patch of {name} does not apply: {problem}.",
            hint=f"Fix the patch for that file in the manifest ({patch.why}).",
        ) from error


def _key(material: Material, task_folder: Path) -> str:
    """A hash of sources, digest, patches and local files, which can change under the same path."""
    key = hashlib.sha256(material.model_dump_json(include={"sources", "digest", "patches"}).encode())
    for source in material.sources:
        if isinstance(source, PathSource) and (path := task_folder / source.path).exists():
            key.update(digest_of(path).encode())
    return key.hexdigest()[:16]


def _slug(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-.") or "material"
