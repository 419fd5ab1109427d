"""Find an embedder by name."""

from pathlib import Path

from fmlbench.core.errors import BadRequest
from fmlbench.metrics.embedding.cache import Cache, NoCache, VectorFile
from fmlbench.metrics.embedding.embedder import Embedder, label_of
from fmlbench.metrics.embedding.graphcodebert import MODEL, load_graphcodebert
from fmlbench.metrics.embedding.structure import StructureEmbedder


def find_embedder(name: str) -> Embedder | None:
    """The embedder of that name; None for `none`."""
    kind, _, place = name.partition(":")
    match kind:
        case "offline":
            return StructureEmbedder()
        case "graphcodebert":
            return load_graphcodebert(place or MODEL)
        case "none":
            return None
        case _:
            raise BadRequest(
                f"There is no embedder named '{name}'.",
                hint="Use 'offline', 'graphcodebert', 'graphcodebert:FOLDER' or 'none'.",
            )


def cache_for(embedder: Embedder, folder: Path) -> Cache:
    """The cache of an embedder. The offline embedder has none: computing is faster than reading from disk."""
    if embedder.name == "offline":
        return NoCache()
    return VectorFile(folder / f"{label_of(embedder)}.vectors")
