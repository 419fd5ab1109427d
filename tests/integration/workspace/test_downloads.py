import errno
import hashlib
import os
from pathlib import Path

import pytest

from fmlbench.core.progress import Silent
from fmlbench.workspace.downloads import SourceFailed, WrongChecksum, download, file_name
from tests.integration.workspace.file_server import Shelf

CONTENT = bytes(range(256)) * 4000
SHA256 = hashlib.sha256(CONTENT).hexdigest()


class Watched:
    """Progress that records its calls."""

    def __init__(self) -> None:
        self.pieces: list[tuple[str, float | None]] = []
        self.done = 0.0
        self.finished = 0

    def start(self, what: str, total: float | None = None) -> None:
        self.pieces.append((what, total))
        self.done = 0.0

    def advance(self, amount: float) -> None:
        self.done += amount

    def finish(self) -> None:
        self.finished += 1


class DiskFillsUp(Silent):
    """The disk is full after the first bytes."""

    def advance(self, amount: float) -> None:
        if amount:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.fixture
def part(tmp_path: Path, shelf: Shelf) -> Path:
    shelf.files["/data.bin"] = CONTENT
    return tmp_path / "a part"


def fetch(shelf: Shelf, part: Path) -> None:
    download(f"{shelf.url}/data.bin", part, SHA256, Silent())


def test_fetches_a_file_and_counts_its_bytes(shelf: Shelf, part: Path):
    progress = Watched()
    download(f"{shelf.url}/data.bin", part, SHA256, progress)
    assert part.read_bytes() == CONTENT
    assert progress.pieces == [("Downloading data.bin", len(CONTENT))]
    assert (progress.done, progress.finished) == (len(CONTENT), 1)


def test_continues_an_interrupted_transfer(shelf: Shelf, part: Path):
    shelf.breaks_off_after = [1000, 5000]
    fetch(shelf, part)
    assert part.read_bytes() == CONTENT
    assert [asked for _, asked in shelf.requests] == [None, "bytes=1000-", "bytes=6000-"]


def test_a_later_call_continues_an_earlier_one(shelf: Shelf, part: Path):
    shelf.breaks_off_after = [100] * 4
    with pytest.raises(SourceFailed, match="was interrupted after 400 of 1024000 bytes"):
        fetch(shelf, part)
    assert part.read_bytes() == CONTENT[:400]
    fetch(shelf, part)
    assert part.read_bytes() == CONTENT
    assert shelf.requests[-1][1] == "bytes=400-"


def test_starts_over_if_the_server_does_not_support_ranges(shelf: Shelf, part: Path):
    shelf.knows_ranges = False
    shelf.breaks_off_after = [1000]
    fetch(shelf, part)
    assert part.read_bytes() == CONTENT


def test_a_part_of_another_file_is_downloaded_again(shelf: Shelf, part: Path):
    part.write_bytes(b"something else")
    fetch(shelf, part)
    assert part.read_bytes() == CONTENT


def test_a_part_longer_than_the_file_is_downloaded_again(shelf: Shelf, part: Path):
    part.write_bytes(b"x" * (len(CONTENT) + 1))
    fetch(shelf, part)
    assert part.read_bytes() == CONTENT


def test_a_complete_file_is_not_requested_again(shelf: Shelf, part: Path):
    part.write_bytes(CONTENT)
    fetch(shelf, part)
    assert shelf.requests == []


def test_a_wrong_file_is_not_kept(shelf: Shelf, part: Path):
    shelf.files["/data.bin"] = b"garbage"
    with pytest.raises(WrongChecksum, match=hashlib.sha256(b"garbage").hexdigest()):
        fetch(shelf, part)
    assert not part.exists()


def test_a_wrong_file_is_not_kept_after_a_resume_either(shelf: Shelf, part: Path):
    shelf.files["/data.bin"] = b"garbage"
    part.write_bytes(b"gar")
    with pytest.raises(WrongChecksum):
        fetch(shelf, part)
    assert not part.exists()


@pytest.mark.parametrize("status", [429, 500, 503])
def test_retries_after_a_server_error(status: int, shelf: Shelf, part: Path):
    shelf.answers = [status, status]
    fetch(shelf, part)
    assert part.read_bytes() == CONTENT


def test_fails_after_repeated_server_errors(shelf: Shelf, part: Path):
    shelf.answers = [503] * 9
    with pytest.raises(SourceFailed, match="the server answered 503"):
        fetch(shelf, part)
    assert len(shelf.requests) == 4


@pytest.mark.parametrize("status", [401, 403, 404, 410])
def test_does_not_retry_after_a_client_error(status: int, shelf: Shelf, part: Path):
    shelf.answers = [status]
    with pytest.raises(SourceFailed, match=f"the server answered {status}"):
        fetch(shelf, part)
    assert len(shelf.requests) == 1


def test_reports_an_unreachable_server(shelf: Shelf, part: Path):
    with pytest.raises(SourceFailed, match="could not be reached"):
        # Port 1 is reserved, and no process listens there.
        download("http://127.0.0.1:1/data.bin", part, SHA256, Silent())
    assert not part.exists()


@pytest.mark.parametrize("url", ["ftp://example.org/a", "data:,a", "gopher://example.org/"])
def test_accepts_only_http_and_file_urls(url: str, part: Path):
    with pytest.raises(SourceFailed, match="the URL must start"):
        download(url, part, SHA256, Silent())


def test_a_full_disk_removes_the_part(shelf: Shelf, part: Path):
    with pytest.raises(OSError, match="No space left"):
        download(f"{shelf.url}/data.bin", part, SHA256, DiskFillsUp())
    assert not part.exists()


def test_a_file_is_named_as_in_its_url():
    assert file_name("https://example.org/a/some%20data.csv?x=/1#y") == "some data.csv"
    assert file_name("https://example.org/") == "download"
