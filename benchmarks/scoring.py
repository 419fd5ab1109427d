"""Measure how much faster scoring is when unchanged windows are not embedded again.

    python -m venv scoring && scoring/bin/pip install torch transformers . && scoring/bin/python benchmarks/scoring.py

A run of 100 steps, each of which rewrites a block of 5% of the lines of an earlier step, is embedded in two ways: every
step in full, and each distinct window once. The model has GraphCodeBERT's shape and random weights, so no weights are
needed; a window takes about two seconds of one core, so the whole takes half an hour. The vectors must agree to 1e-5,
and the second way must be at least 5 times as fast in CPU time. Edits that change the number of tokens
shift all windows behind them; the number of windows that are then left to embed is printed too.
"""
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportMissingImports=false

import argparse
import hashlib
import random
import re
import sys
import time
from collections.abc import Sequence

import numpy as np
import torch  # pyright: ignore
from transformers import RobertaConfig, RobertaModel  # pyright: ignore

from fmlbench.metrics.embedding.clouds import NoCache, distinct, embed_programs
from fmlbench.metrics.embedding.graphcodebert import WINDOW, GraphCodeBert

CHANGED, TIMES_FASTER, AGREEMENT = 0.05, 5.0, 1e-5
_TOKENS_PER_LINE = 12
_VOCABULARY = 50265


class WordTokenizer:
    """Words and signs by their hash: as many tokens as there are words."""

    cls_token_id, pad_token_id, sep_token_id = 0, 1, 2

    def __call__(self, text: str, **_: object) -> dict[str, list[int]]:
        words = re.findall(r"\w+|[^\w\s]", text)
        return {
            "input_ids": [3 + int(hashlib.md5(word.encode()).hexdigest(), 16) % (_VOCABULARY - 3) for word in words]
        }


def line(rng: random.Random, tokens: int = _TOKENS_PER_LINE) -> str:
    return " ".join(f"w{rng.randrange(5000)}" for _ in range(tokens))


def search(rng: random.Random, steps: int, windows: float, *, same_length: bool) -> list[str]:
    """A baseline and its steps, each a change of an earlier one."""
    lines = int(windows * WINDOW / _TOKENS_PER_LINE)
    block = max(1, round(CHANGED * lines))
    programs = [[line(rng) for _ in range(lines)]]
    for _ in range(steps):
        parent = list(rng.choice(programs))
        start = rng.randrange(lines - block)
        parent[start : start + block] = [
            line(rng, _TOKENS_PER_LINE if same_length else rng.randint(8, 16)) for _ in range(block)
        ]
        programs.append(parent)
    return ["\n".join(program) for program in programs]


def model(layers: int) -> GraphCodeBert:
    torch.manual_seed(0)
    shape = RobertaConfig(
        vocab_size=_VOCABULARY, max_position_embeddings=514, type_vocab_size=1, num_hidden_layers=layers
    )
    return GraphCodeBert(WordTokenizer(), RobertaModel(shape, add_pooling_layer=False))


def share_left(embedder: GraphCodeBert, programs: Sequence[str]) -> float:
    windows = [window for program in programs for window in embedder.windows({"a.py": program})]
    return len(distinct(windows)) / len(windows)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--windows", type=float, default=10.0, help="the size of the code, in windows of 510 tokens")
    parser.add_argument("--layers", type=int, default=12, help="fewer than GraphCodeBERT's 12, for a quick look")
    options = parser.parse_args()
    torch.set_num_threads(1)
    embedder = model(options.layers)
    programs = search(random.Random(0), options.steps, options.windows, same_length=True)

    begun = time.process_time()
    once = embed_programs(embedder, [{"a.py": program} for program in programs], NoCache())
    incremental = time.process_time() - begun
    left = share_left(embedder, programs)
    print(f"each distinct window once: {incremental:.1f} CPU s ({left:.1%} of the windows)", flush=True)

    begun = time.process_time()
    full = np.stack([embedder.embed(embedder.windows({"a.py": program})).sum(axis=0) for program in programs])
    whole = time.process_time() - begun
    times, apart = whole / incremental, float(np.abs(once - full).max())
    print(f"every step in full: {whole:.1f} CPU s, {times:.1f} times as much; vectors differ by {apart:.1e} at most")

    left = share_left(embedder, search(random.Random(0), options.steps, options.windows, same_length=False))
    print(f"edits that change the number of tokens: {left:.1%} of the windows are left to embed")
    return 0 if times >= TIMES_FASTER and apart <= AGREEMENT else 1


if __name__ == "__main__":
    sys.exit(main())
