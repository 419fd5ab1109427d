"""Make small worlds in which classes depend on inputs and on their products.

    recipe.py prepare ROOT    ROOT/stage.json             -> ROOT/pools/WORLD-SPLIT.npz
    recipe.py draw ROOT       ROOT/pools, ROOT/stage.json -> ROOT/out/{train,validation,test}/

How hard a world is, is fixed. Every sample is rotated and its classes are renumbered by a seed that candidates never
see, so nothing that was learned from one sample fits another.
"""

import numpy as np
from datasetkit import load_npz, main, read_request, save, save_exam

DIMENSIONS, CLASSES = 6, 4
ROWS = {"train": 20_000, "validation": 40_000, "test": 40_000}
NOISE = 0.9
"""So much that a third of the way to a perfect score stays out of reach of the expert reference."""
WORLD_SEEDS = {"scored": 20261115, "lab": 20261116, "sibling": 20261117}


def prepare(root):
    seed = read_request(root).seed
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


def draw(root):
    request = read_request(root)
    rng = np.random.default_rng(request.seed)
    rotation, _ = np.linalg.qr(rng.standard_normal((DIMENSIONS, DIMENSIONS)))
    numbers = rng.permutation(CLASSES)
    for split in ROWS:
        rows = load_npz(root / "pools" / f"{request.world}-{split}.npz")
        chosen = rng.permutation(len(rows["labels"]))[: int(request.settings[f"{split}_rows"])]
        inputs = (rows["inputs"][chosen] @ rotation).astype(np.float32)
        labels = numbers[rows["labels"][chosen]]
        if split == "train":
            kept = round(len(chosen) * request.train_share)
            save(root / "out" / "train", inputs=inputs[:kept], labels=labels[:kept])
        else:
            save_exam(root / "out" / split, {"inputs": inputs}, {"labels": labels})


if __name__ == "__main__":
    main(prepare=prepare, sample=draw)
