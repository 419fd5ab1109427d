import hashlib
import io
import tarfile
import zipfile
from pathlib import Path

import pytest

from fmlbench.core.progress import Silent
from fmlbench.core.sources import NpmSource, PypiSource
from fmlbench.workspace import registries
from fmlbench.workspace.downloads import SourceFailed, WrongChecksum
from fmlbench.workspace.registries import fetch_from_npm, fetch_from_pypi

SOMETHING_ELSE = "0" * 64


@pytest.fixture
def links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is pip's only index."""
    folder = tmp_path / "find links"
    folder.mkdir()
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", folder.as_uri())
    return folder


def add_sdist(links: Path, ran: Path) -> str:
    """A source release that creates a file if its code runs."""
    trap = f"open({str(ran)!r}, 'w')\nfrom setuptools import setup\nsetup(name='trap', version='1.0')\n"
    with tarfile.open(links / "trap-1.0.tar.gz", "w:gz") as tar:
        for path, text in {"setup.py": trap, "PKG-INFO": "Name: trap\nVersion: 1.0\n"}.items():
            info = tarfile.TarInfo(f"trap-1.0/{path}")
            info.size = len(text.encode())
            tar.addfile(info, io.BytesIO(text.encode()))
    return hashlib.sha256((links / "trap-1.0.tar.gz").read_bytes()).hexdigest()


def add_wheel(links: Path) -> str:
    path = links / "trap-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as wheel:
        wheel.writestr("trap.py", "x = 1\n")
        wheel.writestr("trap-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: trap\nVersion: 1.0\n")
        wheel.writestr("trap-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr("trap-1.0.dist-info/RECORD", "")
    return hashlib.sha256(path.read_bytes()).hexdigest()


def sdist(sha256: str, version: str = "1.0") -> PypiSource:
    return PypiSource(kind="pypi", package="trap", version=version, archive="sdist", sha256=sha256)


def wheel(sha256: str) -> PypiSource:
    return PypiSource(kind="pypi", package="trap", version="1.0", archive="wheel", sha256=sha256)


def fetch(source: PypiSource, tmp_path: Path) -> Path:
    folder = tmp_path / "fetched into"
    folder.mkdir()
    return fetch_from_pypi(source, folder, tmp_path / "part", Silent())


def test_fetches_a_source_release_without_running_its_code(links: Path, tmp_path: Path):
    checksum = add_sdist(links, tmp_path / "ran")
    add_wheel(links)
    archive = fetch(sdist(checksum), tmp_path)
    assert archive.name == "trap-1.0.tar.gz"
    assert hashlib.sha256(archive.read_bytes()).hexdigest() == checksum
    assert not (tmp_path / "ran").exists()


def test_fetches_a_wheel_if_a_wheel_is_wanted(links: Path, tmp_path: Path):
    add_sdist(links, tmp_path / "ran")
    assert fetch(wheel(add_wheel(links)), tmp_path).name == "trap-1.0-py3-none-any.whl"


def test_rejects_an_archive_with_another_checksum(links: Path, tmp_path: Path):
    add_sdist(links, tmp_path / "ran")
    with pytest.raises(WrongChecksum):
        fetch(sdist(SOMETHING_ELSE), tmp_path)
    assert not (tmp_path / "ran").exists()


def test_reports_a_missing_version(links: Path, tmp_path: Path):
    add_sdist(links, tmp_path / "ran")
    with pytest.raises(SourceFailed, match=r"pip finds no sdist of trap 2\.0"):
        fetch(sdist(SOMETHING_ELSE, "2.0"), tmp_path)


def test_reports_a_missing_package(links: Path, tmp_path: Path):
    with pytest.raises(SourceFailed, match="No matching distribution found for trap"):
        fetch(sdist(SOMETHING_ELSE), tmp_path)


def refuse_transfers(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise SourceFailed("the server answered 401 Unauthorized")

    monkeypatch.setattr(registries, "download", refuse)


def test_falls_back_to_pip_if_the_direct_download_is_refused(
    links: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    refuse_transfers(monkeypatch)
    checksum = add_wheel(links)
    archive = fetch(wheel(checksum), tmp_path)
    assert hashlib.sha256(archive.read_bytes()).hexdigest() == checksum


def test_pip_rejects_a_wrong_source_release_before_running_its_code(
    links: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    refuse_transfers(monkeypatch)
    add_sdist(links, tmp_path / "ran")
    with pytest.raises(SourceFailed, match=r"(?i)hash"):
        fetch(sdist(SOMETHING_ELSE), tmp_path)
    assert not (tmp_path / "ran").exists()


def test_reports_a_missing_client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SourceFailed, match="npm is not installed"):
        fetch_from_npm(NPM_SOURCE, tmp_path, Silent())


def npm_that_says(words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    npm = tmp_path / "npm"
    npm.write_text(f"#!/bin/sh\ncat >&2 <<'END'\n{words}\nEND\nexit 1\n")
    npm.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")


NPM_SOURCE = NpmSource(kind="npm", package="is-number", version="7.0.0", sha256=SOMETHING_ELSE)


def test_finds_the_reason_in_the_output_of_npm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    words = "npm warn config\nnpm error code E404\nnpm error 404 Not Found\nnpm error A complete log of this run"
    npm_that_says(words, tmp_path, monkeypatch)
    with pytest.raises(SourceFailed, match=r"^404 Not Found$"):
        fetch_from_npm(NPM_SOURCE, tmp_path, Silent())


def test_a_full_disk_of_a_client_is_reported_as_a_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    npm_that_says("npm error nospc ENOSPC: no space left on device, write", tmp_path, monkeypatch)
    with pytest.raises(OSError, match="No space left"):
        fetch_from_npm(NPM_SOURCE, tmp_path, Silent())


@pytest.mark.real
def test_fetches_a_real_source_release(tmp_path: Path):
    source = PypiSource(
        kind="pypi",
        package="easyfsl",
        version="1.5.0",
        archive="sdist",
        sha256="1f414660bef0aecdd06ca81ef94158b1d20bcb243c1fed09f820ed81b061ea30",
    )
    archive = fetch(source, tmp_path)
    assert archive.name == "easyfsl-1.5.0.tar.gz"
    assert hashlib.sha256(archive.read_bytes()).hexdigest() == source.sha256


@pytest.mark.real
def test_fetches_a_real_release_with_npm(tmp_path: Path):
    source = NpmSource(
        kind="npm",
        package="is-number",
        version="7.0.0",
        sha256="7b75c1057198cf97696909a9bee176c9c5e9bcb5b03bf3ecef2f484defadd51e",
    )
    archive = fetch_from_npm(source, tmp_path, Silent())
    assert hashlib.sha256(archive.read_bytes()).hexdigest() == source.sha256
