"""Make a small world in which classes depend on inputs and on their products.

How hard the world is, is fixed; which way its axes point and which class has which number is not, and no row is known
beforehand. Both hang on a seed that candidates never see, for this file is public.
"""

import json
import sys
from pathlib import Path

import numpy as np

DIMENSIONS, CLASSES = 6, 4
POOL_ROWS = {"train": 20_000, "validation": 40_000, "test": 40_000}
WORLD_SEED = 20261115


def prepare(root, seed):
    world, rng = np.random.default_rng(WORLD_SEED), np.random.default_rng(seed)
    linear = world.standard_normal((DIMENSIONS, CLASSES))
    products = world.standard_normal((DIMENSIONS, DIMENSIONS, CLASSES)) * 0.6
    turn, _ = np.linalg.qr(rng.standard_normal((DIMENSIONS, DIMENSIONS)))
    classes = rng.permutation(CLASSES)
    for pool, rows in POOL_ROWS.items():
        inputs = rng.standard_normal((rows, DIMENSIONS))
        turned = inputs @ turn
        scores = turned @ linear + np.einsum("ni,nj,ijc->nc", turned, turned, products)
        labels = classes[(scores + 0.4 * rng.standard_normal(scores.shape)).argmax(axis=1)]
        np.savez(root / "pools" / f"{pool}.npz", inputs=inputs.astype(np.float32), labels=labels.astype(np.int64))


def draw(root, seed, settings):
    rng = np.random.default_rng(seed)
    for pool in POOL_ROWS:
        with np.load(root / "pools" / f"{pool}.npz", allow_pickle=False) as stored:
            inputs, labels = stored["inputs"], stored["labels"]
        chosen = rng.permutation(len(labels))[: int(settings[f"{pool}_rows"])]
        if pool == "train":
            save(root / "out" / "train", inputs=inputs[chosen], labels=labels[chosen])
        else:
            save(root / "out" / pool / "questions", inputs=inputs[chosen])
            save(root / "out" / pool / "labels", labels=labels[chosen])


def save(folder, **arrays):
    folder.mkdir(parents=True)
    for name, array in arrays.items():
        np.save(folder / f"{name}.npy", array, allow_pickle=False)


if __name__ == "__main__":
    step, place = sys.argv[-2], Path(sys.argv[-1])
    facts = json.loads((place / "stage.json").read_text("utf-8"))
    prepare(place, facts["seed"]) if step == "prepare" else draw(place, facts["seed"], facts["settings"])
