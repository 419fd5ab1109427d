"""Make disjoint pools of Fashion-MNIST, and draw who is a member of which network.

    recipe.py prepare ROOT    ROOT/raw/fashion-mnist/CLASS.json -> ROOT/pools/POOL/{images,labels}.npy
    recipe.py draw ROOT       ROOT/pools, ROOT/stage.json
                              -> ROOT/out/{model-1, ..., public, validation, test}/

Which pool an image is in is fixed once. A seed draws the images of both audits, which half of them each network is
trained on, the public images, and an order of pixels and names of classes that are the same for all of these: so that
nothing learned elsewhere about these images is of use.
"""

import hashlib
import json
import sys
from pathlib import Path

import numpy as np

CLASSES = 10
SIDE = 28
BLOCK = 2
"""Squares of so many pixels are averaged into one."""
SHARES = {
    "audit-validation": 0.08,
    "audit-test": 0.08,
    "accuracy-validation": 0.26,
    "accuracy-test": 0.26,
    "public": 0.2,
    "practice": 0.12,
}


def prepare(root):
    """Deal all images out to the pools."""
    images, labels = read_all(root / "raw" / "fashion-mnist")
    ranks = np.array([hashlib.sha256(image.tobytes()).hexdigest() for image in images])
    # Equal images would be members and others at once, or known to the public.
    order = np.unique(ranks, return_index=True)[1]
    cuts = np.round(np.cumsum(list(SHARES.values())) * len(order)).astype(int)
    for pool, rows in zip(SHARES, np.split(order, cuts[:-1]), strict=True):
        save(root / "pools" / pool, images=shrink(images[rows]), labels=labels[rows])


def read_all(folder):
    """Return [n, 784] bytes and [n] labels; a file has the images of one class."""
    images, labels = [], []
    for label in range(CLASSES):
        rows = [row for row in json.loads((folder / f"{label}.json").read_bytes())["data"] if row]
        if not rows or any(len(row) != SIDE * SIDE for row in rows):
            raise SystemExit(f"{label}.json: not images of {SIDE} x {SIDE} pixels")
        images.append(np.array(rows, dtype=np.uint8))
        labels.append(np.full(len(rows), label, dtype=np.int64))
    return np.concatenate(images), np.concatenate(labels)


def shrink(images):
    """Average squares of pixels: [n, 784] bytes become [n, 196]."""
    side = SIDE // BLOCK
    blocks = images.reshape(-1, side, BLOCK, side, BLOCK).mean(axis=(2, 4))
    return np.round(blocks).astype(np.uint8).reshape(-1, side * side)


def draw(root):
    """Draw the members of every network, the public images, and both audits."""
    facts = json.loads((root / "stage.json").read_text("utf-8"))
    seed, settings = facts["seed"], facts["settings"]
    rng = np.random.default_rng([seed, 0])
    pixels, names = rng.permutation((SIDE // BLOCK) ** 2), rng.permutation(CLASSES)

    def take(pool, count, stream):
        images, labels = (np.load(root / "pools" / pool / f"{name}.npy") for name in ("images", "labels"))
        rows = np.random.default_rng([seed, stream]).permutation(len(images))[:count]
        return images[rows][:, pixels], names[labels[rows]]

    audits = {}
    for stream, exam in enumerate(("validation", "test"), start=1):
        images, labels = take(f"audit-{exam}", settings["audit_images"], stream)
        members = draw_members(settings["models"], len(images), np.random.default_rng([seed, 10 + stream]))
        audits[exam] = images, labels, members
        asked = take(f"accuracy-{exam}", settings["accuracy_images"], 20 + stream)
        save(root / "out" / exam / "questions", models=np.arange(1, settings["models"] + 1))
        save(
            root / "out" / exam / "labels",
            audit_images=images,
            audit_labels=labels,
            members=members,
            accuracy_images=asked[0],
            accuracy_labels=asked[1],
        )
    save(root / "out" / "public", images=take("public", settings["public_images"], 30)[0])
    for model in range(settings["models"]):
        images = np.concatenate([images[members[model]] for images, _, members in audits.values()])
        labels = np.concatenate([labels[members[model]] for _, labels, members in audits.values()])
        order = np.random.default_rng([seed, 40, model]).permutation(len(labels))
        save(root / "out" / f"model-{model + 1}", images=images[order], labels=labels[order])


def draw_members(models, images, rng):
    """Whether an image is a member of a network, [models, images]: a random half of them is, for each network anew."""
    members = np.zeros((models, images), dtype=bool)
    for row in members:
        row[rng.permutation(images)[: images // 2]] = True
    return members


def save(folder, **arrays):
    """Write arrays by name."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, array in arrays.items():
        np.save(folder / f"{name}.npy", array, allow_pickle=False)


if __name__ == "__main__":
    {"prepare": prepare, "draw": draw}[sys.argv[1]](Path(sys.argv[2]))
