"""Make disjoint pools of CIFAR-10, and draw who is a member of which network.

    recipe.py prepare ROOT    ROOT/raw/cifar-10/*.bin -> ROOT/pools/POOL/{images,labels}.npy
    recipe.py draw ROOT       ROOT/pools, ROOT/stage.json
                              -> ROOT/out/{model-1, ..., public, validation, test}/

Which pool an image is in is fixed once. A seed draws the images of both audits, which half of them each network is
trained on, the public images, and new numbers for the classes. An exam attacks some of its audit's images.
"""

import hashlib
import json
import sys
from pathlib import Path

import numpy as np

CLASSES = 10
SIDE = 32
FILES = (*(f"data_batch_{number}.bin" for number in range(1, 6)), "test_batch.bin")
SHARES = {
    "audit-validation": 20,
    "audit-test": 20,
    "accuracy-validation": 5,
    "accuracy-test": 5,
    "public": 10,
}
"""In sixtieths: as many thousands of CIFAR-10's images."""


def prepare(root):
    """Deal all images out to the pools."""
    images, labels = read_files([root / "raw" / "cifar-10" / name for name in FILES])
    ranks = np.array([hashlib.sha256(image.tobytes()).hexdigest() for image in images])
    # Equal images would be members and others at once, or known to the public.
    order = np.unique(ranks, return_index=True)[1]
    shares = np.cumsum(list(SHARES.values())) / sum(SHARES.values())
    for pool, rows in zip(SHARES, np.split(order, np.round(shares[:-1] * len(order)).astype(int)), strict=True):
        save(root / "pools" / pool, images=images[rows], labels=labels[rows])


def read_files(files):
    """Read the binary version of CIFAR-10: a byte for the label, then 3 x 32 x 32 bytes, for every image."""
    rows = np.concatenate([np.frombuffer(file.read_bytes(), np.uint8) for file in files])
    rows = rows.reshape(-1, 1 + 3 * SIDE * SIDE)
    return rows[:, 1:].reshape(-1, 3, SIDE, SIDE), rows[:, 0].astype(np.int64)


def draw(root):
    """Draw the members of every network, the public images, and both audits."""
    facts = json.loads((root / "stage.json").read_text("utf-8"))
    seed, settings = facts["seed"], facts["settings"]
    names = np.random.default_rng([seed, 0]).permutation(CLASSES)

    def take(pool, count, stream):
        images, labels = (
            np.load(root / "pools" / pool / f"{name}.npy", mmap_mode="r") for name in ("images", "labels")
        )
        if count > len(images):
            raise SystemExit(f"{count} images are wanted, but the pool {pool} has {len(images)}")
        rows = np.random.default_rng([seed, stream]).permutation(len(images))[:count]
        return images[rows], names[labels[rows]]

    audits = {}
    for stream, exam in enumerate(("validation", "test"), start=1):
        images, labels = take(f"audit-{exam}", settings["candidates"], stream)
        members = draw_members(settings["models"], len(images), np.random.default_rng([seed, 10 + stream]))
        audits[exam] = images, labels, members
        attacked = slice(settings["audit_images"])
        asked = take(f"accuracy-{exam}", settings["accuracy_images"], 20 + stream)
        save(root / "out" / exam / "questions", models=np.arange(1, settings["models"] + 1))
        save(
            root / "out" / exam / "labels",
            audit_images=images[attacked],
            audit_labels=labels[attacked],
            members=members[:, attacked],
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
