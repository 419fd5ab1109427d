"""The embedders there are."""

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
                hint="Take 'offline', 'graphcodebert', 'graphcodebert:FOLDER' or 'none'.",
            )


def cache_for(embedder: Embedder, folder: Path) -> Cache:
    """Where an embedder's vectors are kept; the offline one computes them faster than a disk gives them."""
    if embedder.name == "offline":
        return NoCache()
    return VectorFile(folder / f"{label_of(embedder)}.vectors")
