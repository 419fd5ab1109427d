"""Embedders split programs into windows and compute a vector per window; the table of all embedders.

A program's vector is the sum of its windows' vectors, so unchanged windows are embedded only once. Other packages add
embedders with an entry point in the group ``fmlbench.embedders`` whose value is an ``EmbedderEntry``.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from fmlbench.core.errors import BadRequest
from fmlbench.core.plugins import plugins

if TYPE_CHECKING:  # The command line shows the table in its help, which must not load NumPy.
    from fmlbench.metrics.trace import Vectors

ENTRY_POINTS = "fmlbench.embedders"
NO_EMBEDDER = "none"


class Embedder(Protocol):
    """Computes vectors from code."""

    @property
    def name(self) -> str:
        """The name in --embedder."""
        ...

    @property
    def digest(self) -> str:
        """The hash of everything that determines its vectors."""
        ...

    @property
    def near(self) -> float:
        """The cosine distance below which two programs count as the same idea."""
        ...

    @property
    def is_cached(self) -> bool:
        """Whether its vectors are cached; False if computing is faster than reading from disk."""
        ...

    def windows(self, files: Mapping[str, str]) -> Sequence[bytes]:
        """A program's windows; equal bytes have equal vectors."""
        ...

    def embed(self, windows: Sequence[bytes]) -> "Vectors":
        """One row per window."""
        ...


@dataclass(frozen=True)
class EmbedderEntry:
    """An embedder in the table."""

    name: str
    load: Callable[[str], Embedder]
    """Make the embedder; the argument is what follows the colon in --embedder NAME:PLACE, or empty."""
    usage: tuple[str, ...]
    """How to name it in --embedder, each with a remark if necessary."""


def label_of(embedder: Embedder) -> str:
    """The label on every value: the name and a prefix of the digest."""
    return f"{embedder.name}-{embedder.digest[:8]}"


def find_embedder(name: str) -> Embedder | None:
    """The embedder of that name; None for `none`."""
    kind, _, place = name.partition(":")
    if kind == NO_EMBEDDER:
        return None
    entries = {entry.name: entry for entry in (*plugins(ENTRY_POINTS, EmbedderEntry), *EMBEDDERS)}
    if kind not in entries:
        usages = (usage for entry in entries.values() for usage in entry.usage)
        raise BadRequest(f"There is no embedder named '{name}'.", hint=f"Use {', '.join(usages)} or '{NO_EMBEDDER}'.")
    return entries[kind].load(place)


def _offline(_place: str) -> Embedder:
    from fmlbench.metrics.embedding.structure import StructureEmbedder  # noqa: PLC0415

    return StructureEmbedder()


def _graphcodebert(place: str) -> Embedder:
    from fmlbench.metrics.embedding.graphcodebert import MODEL, load_graphcodebert  # noqa: PLC0415

    return load_graphcodebert(place or MODEL)


EMBEDDERS = (
    EmbedderEntry("offline", _offline, ("'offline'",)),
    EmbedderEntry("graphcodebert", _graphcodebert, ("'graphcodebert' (needs its weights)", "'graphcodebert:FOLDER'")),
)
