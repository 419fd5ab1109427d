"""Make small worlds in which classes depend on inputs and on their products.

    recipe.py prepare ROOT    ROOT/stage.json             -> ROOT/pools/WORLD-SPLIT.npz
    recipe.py draw ROOT       ROOT/pools, ROOT/stage.json -> ROOT/out/{train,validation,test}/

How hard a world is, is fixed. Every sample is rotated and its classes are renumbered by a seed that candidates never
see, so nothing that was learned from one sample fits another.
"""

import json
import sys
from pathlib import Path

import numpy as np

DIMENSIONS, CLASSES = 6, 4
ROWS = {"train": 20_000, "validation": 40_000, "test": 40_000}
NOISE = 0.9
"""So much that a third of the way to a perfect score stays out of reach of the expert reference."""
WORLD_SEEDS = {"scored": 20261115, "lab": 20261116, "sibling": 20261117}


def prepare(root, seed):
    for stream, (world, world_seed) in enumerate(WORLD_SEEDS.items()):
        formula = make_formula(np.random.default_rng(world_seed))
        rng = np.random.default_rng([seed, stream])
        for split, rows in ROWS.items():
            inputs = rng.standard_normal((rows, DIMENSIONS))
            scores = formula(inputs)
            labels = (scores + NOISE * rng.standard_normal(scores.shape)).argmax(axis=1)
            np.savez(root / "pools" / f"{world}-{split}.npz", inputs=inputs.astype(np.float32), labels=labels)


def make_formula(rng):
    """Class scores of inputs: linear parts and products of two inputs."""
    linear = rng.standard_normal((DIMENSIONS, CLASSES))
    products = rng.standard_normal((DIMENSIONS, DIMENSIONS, CLASSES)) * 0.6
    return lambda inputs: inputs @ linear + np.einsum("ni,nj,ijc->nc", inputs, inputs, products)


def draw(root, facts):
    settings, rng = facts["settings"], np.random.default_rng(facts["seed"])
    rotation, _ = np.linalg.qr(rng.standard_normal((DIMENSIONS, DIMENSIONS)))
    numbers = rng.permutation(CLASSES)
    for split in ROWS:
        with np.load(root / "pools" / f"{facts['world']}-{split}.npz", allow_pickle=False) as stored:
            inputs, labels = stored["inputs"], stored["labels"]
        chosen = rng.permutation(len(labels))[: int(settings[f"{split}_rows"])]
        inputs, labels = (inputs[chosen] @ rotation).astype(np.float32), numbers[labels[chosen]]
        if split == "train":
            kept = round(len(chosen) * facts["train_share"])
            save(root / "out" / "train", inputs=inputs[:kept], labels=labels[:kept])
        else:
            save(root / "out" / split / "questions", inputs=inputs)
            save(root / "out" / split / "labels", labels=labels)


def save(folder, **arrays):
    folder.mkdir(parents=True)
    for name, array in arrays.items():
        np.save(folder / f"{name}.npy", array, allow_pickle=False)


if __name__ == "__main__":
    step, place = sys.argv[-2], Path(sys.argv[-1])
    stage = json.loads((place / "stage.json").read_text("utf-8"))
    prepare(place, stage["seed"]) if step == "prepare" else draw(place, stage)
