"""Download one file from a URL or with another program (pip, npm, git); interrupted downloads are continued."""

import errno
import http.client
import os
import re
import shutil
import subprocess
import urllib.error
import urllib.request
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from time import sleep
from typing import IO, Protocol
from urllib.parse import unquote, urlsplit

from fmlbench.core.progress import Progress
from fmlbench.workspace.digests import sha256_of

_PAUSES_SECONDS = (0.5, 1.0, 2.0)
_TIMEOUT_SECONDS = 60
_CHUNK_BYTES = 1 << 18
_RETRYABLE = {408, 425, 429}
_PROGRAM_SECONDS = 3600
"""For a program that hangs; these programs have shorter timeouts of their own."""
_DISK_FULL = re.compile(r"\bENOSPC\b|No space left on device")


class SourceFailed(Exception):
    """A source cannot be used; the message is one line of text."""


class WrongChecksum(SourceFailed):
    """The fetched files do not match the manifest's checksum."""


class _Interrupted(SourceFailed):
    """The transfer was interrupted; a retry may help."""


class _Response(Protocol):
    headers: http.client.HTTPMessage
    status: int | None

    def read(self, amount: int) -> bytes: ...

    def close(self) -> None: ...


def download(url: str, part: Path, sha256: str, progress: Progress) -> None:
    """Complete ``part``, which may contain the beginning of the file, or raise SourceFailed.

    An interrupted transfer keeps the received data, and the next call continues from there. If a continued file has a
    wrong checksum, its beginning may come from another file, so it is downloaded again from the start. A file with a
    wrong checksum is never kept.
    """
    was_started = part.exists()
    try:
        if not was_started or sha256_of(part) != sha256:
            _transfer_with_retries(url, part, progress)
        found = sha256_of(part)
    except OSError:
        # The disk may be full: free the space.
        part.unlink(missing_ok=True)
        raise
    if found != sha256:
        part.unlink()
        if not was_started:
            raise WrongChecksum(f"its checksum is {found}, not {sha256}")
        download(url, part, sha256, progress)


def file_name(url: str) -> str:
    """The file name in a URL."""
    return unquote(urlsplit(url).path).rsplit("/", 1)[-1] or "download"


def _transfer_with_retries(url: str, part: Path, progress: Progress) -> None:
    for pause in _PAUSES_SECONDS:
        try:
            return _transfer(url, part, progress)
        except _Interrupted:
            sleep(pause)
    return _transfer(url, part, progress)


def _transfer(url: str, part: Path, progress: Progress) -> None:
    have = part.stat().st_size if part.exists() else 0
    response = _open(url, have)
    if response is None:
        # The part is longer than the file, so it is the beginning of another file.
        part.unlink()
        raise _Interrupted("the file on the server has changed")
    with closing(response):
        if response.status != http.HTTPStatus.PARTIAL_CONTENT:
            have = 0
        length = response.headers.get("Content-Length")
        total = have + int(length) if length is not None else None
        progress.start(f"Downloading {file_name(url)}", total)
        try:
            with part.open("ab" if have else "wb") as file:
                progress.advance(have)
                _copy(response, file, progress)
                arrived = file.tell()
        finally:
            progress.finish()
    if total is not None and arrived < total:
        raise _Interrupted(f"the transfer was interrupted after {arrived} of {total} bytes")


def _open(url: str, have: int) -> _Response | None:
    """Request the missing bytes; None if the file is not longer than the part."""
    if urlsplit(url).scheme not in {"http", "https", "file"}:
        raise SourceFailed("the URL must start with https:// or http://")
    headers = {"User-Agent": "fmlbench", **({"Range": f"bytes={have}-"} if have else {})}
    try:
        request = urllib.request.Request(url, headers=headers)  # noqa: S310 - the scheme was checked
        return urllib.request.urlopen(request, timeout=_TIMEOUT_SECONDS)  # noqa: S310
    except urllib.error.HTTPError as error:
        error.close()
        if have and error.code == http.HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE:
            return None
        kind = _Interrupted if error.code >= 500 or error.code in _RETRYABLE else SourceFailed
        raise kind(f"the server answered {error.code} {error.reason}") from error
    except urllib.error.URLError as error:
        raise _Interrupted(f"the server could not be reached: {_reason(error.reason)}") from error
    except (OSError, http.client.HTTPException) as error:
        raise _Interrupted(f"the server could not be reached: {_reason(error)}") from error


def _copy(response: _Response, file: IO[bytes], progress: Progress) -> None:
    while chunk := _read(response):
        file.write(chunk)
        progress.advance(len(chunk))


def _read(response: _Response) -> bytes:
    try:
        return response.read(_CHUNK_BYTES)
    except (OSError, http.client.HTTPException) as error:
        raise _Interrupted(f"the transfer was interrupted: {_reason(error)}") from error


def _reason(error: BaseException | str) -> str:
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return str(error) or type(error).__name__


def run_program(command: Sequence[str], folder: Path, explain: Callable[[str], str]) -> str:
    """Run a program in a folder and return its output; on failure ``explain`` extracts the reason from the output."""
    if shutil.which(command[0]) is None:
        raise SourceFailed(f"{command[0]} is not installed")
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=_PROGRAM_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise SourceFailed(f"{Path(command[0]).name} timed out") from error
    output = done.stdout.decode("utf-8", "replace")
    if done.returncode != 0 and _DISK_FULL.search(output):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(folder))
    if done.returncode != 0:
        raise SourceFailed(explain(output) or f"{Path(command[0]).name} failed with code {done.returncode}")
    return output
