"""Fetch one file from an address: patiently, and going on where an earlier attempt stopped."""

import http.client
import urllib.error
import urllib.request
from contextlib import closing
from pathlib import Path
from time import sleep
from typing import IO, Protocol
from urllib.parse import unquote, urlsplit

from fmlbench.core.progress import Progress
from fmlbench.workspace.digests import sha256_of
from fmlbench.workspace.source_failures import SourceFailed, WrongChecksum

_PAUSES_SECONDS = (0.5, 1.0, 2.0)
_SILENCE_SECONDS = 60
_CHUNK_BYTES = 1 << 18
_WORTH_ANOTHER_TRY = {408, 425, 429}


class _Interrupted(SourceFailed):
    """The transfer broke off; trying again may help."""


class _Response(Protocol):
    headers: http.client.HTTPMessage
    status: int | None

    def read(self, amount: int) -> bytes: ...

    def close(self) -> None: ...


def download(url: str, part: Path, sha256: str, progress: Progress) -> None:
    """Complete ``part``, which may hold the beginning of the file already, or raise SourceFailed.

    What has arrived is kept when the transfer breaks off, so that the next call goes on from there. If a file that was
    begun earlier comes out wrong, the beginning may have belonged to another one: it is fetched once more, from its
    start. A file that comes out wrong is never kept.
    """
    was_begun = part.exists()
    try:
        if not was_begun or sha256_of(part) != sha256:
            _transfer_patiently(url, part, progress)
        found = sha256_of(part)
    except OSError:
        # A full disk must not stay full of what did not fit.
        part.unlink(missing_ok=True)
        raise
    if found != sha256:
        part.unlink()
        if not was_begun:
            raise WrongChecksum(f"its checksum is {found}, not {sha256}")
        download(url, part, sha256, progress)


def file_name(url: str) -> str:
    """The name a file has at its address."""
    return unquote(urlsplit(url).path).rsplit("/", 1)[-1] or "download"


def _transfer_patiently(url: str, part: Path, progress: Progress) -> None:
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
        # What we have reaches beyond the file: it is another one's beginning.
        part.unlink()
        raise _Interrupted("the server has another file than before")
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
        raise _Interrupted(f"the transfer broke off after {arrived} of {total} bytes")


def _open(url: str, have: int) -> _Response | None:
    """Ask for what is missing; None if there is nothing beyond what we have."""
    if urlsplit(url).scheme not in {"http", "https", "file"}:
        raise SourceFailed("the address starts neither with https:// nor with http://")
    headers = {"User-Agent": "fmlbench", **({"Range": f"bytes={have}-"} if have else {})}
    try:
        request = urllib.request.Request(url, headers=headers)  # noqa: S310 - the scheme was looked at
        return urllib.request.urlopen(request, timeout=_SILENCE_SECONDS)  # noqa: S310
    except urllib.error.HTTPError as error:
        error.close()
        if have and error.code == http.HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE:
            return None
        kind = _Interrupted if error.code >= 500 or error.code in _WORTH_ANOTHER_TRY else SourceFailed
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
        raise _Interrupted(f"the transfer broke off: {_reason(error)}") from error


def _reason(error: BaseException | str) -> str:
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return str(error) or type(error).__name__
