"""Make pools of CIFAR-10 images, and draw from them unlabelled training images and both exams.

    recipe.py prepare ROOT    ROOT/raw/cifar-10/*.bin, ROOT/stage.json -> ROOT/pools/SPLIT/{images,labels}.npy
    recipe.py draw ROOT       ROOT/pools, ROOT/stage.json              -> ROOT/out/{train,validation,test}/

Which images train, validate and test is fixed once. A seed decides which of them are used, and which images of an exam
the probe learns from. Labels of training images stay in their pool: nobody asks for them.
"""

import json
import sys
from pathlib import Path

import numpy as np

CLASSES = 10
SIDE = 32
SPLITS = {
    "train": tuple(f"data_batch_{number}.bin" for number in range(1, 5)),
    "validation": ("data_batch_5.bin",),
    "test": ("test_batch.bin",),
}


def prepare(root):
    """Read CIFAR-10, make the images smaller where that is asked, and drop those that occur more than once."""
    raw = root / "raw" / "cifar-10"
    side = _read_facts(root)["settings"]["side"]
    read = {split: read_files([raw / name for name in names]) for split, names in SPLITS.items()}
    small = {split: shrink(images, side) for split, (images, _) in read.items()}
    twice = repeated(np.concatenate(list(small.values())))
    for split, (_, labels) in read.items():
        kept = [image.tobytes() not in twice for image in small[split]]
        _save(root / "pools" / split, images=small[split][kept], labels=labels[kept])


def read_files(files):
    """Read the binary version of CIFAR-10: a byte for the label, then 3 x 32 x 32 bytes, for every image."""
    rows = np.concatenate([np.frombuffer(file.read_bytes(), np.uint8) for file in files])
    rows = rows.reshape(-1, 1 + 3 * SIDE * SIDE)
    return rows[:, 1:].reshape(-1, 3, SIDE, SIDE), rows[:, 0].astype(np.int64)


def shrink(images, side):
    """Means of squares of pixels, as bytes, so that so many pixels a side are left."""
    width = SIDE // side
    squares = images.reshape(len(images), 3, side, width, side, width)
    return np.rint(squares.mean(axis=(3, 5), dtype=np.float32)).astype(np.uint8)


def repeated(images):
    """Return the images that occur more than once, as bytes."""
    seen, twice = set(), set()
    for image in images:
        content = image.tobytes()
        (twice if content in seen else seen).add(content)
    return twice


def draw(root):
    """Draw one training set and both exams."""
    facts = _read_facts(root)
    seed, settings = facts["seed"], facts["settings"]
    images, _ = _load_pool(root / "pools" / "train")
    rows = choose(len(images), settings["train"], np.random.default_rng([seed, 0]))
    _save(root / "out" / "train", images=images[rows])
    for stream, exam in enumerate(("validation", "test"), start=1):
        rng = np.random.default_rng([seed, stream])
        images, labels = _load_pool(root / "pools" / exam)
        rows, is_probe = draw_exam(len(images), settings["probe"], settings["exam"], rng)
        _save(root / "out" / exam / "questions", images=images[rows])
        _save(root / "out" / exam / "labels", labels=labels[rows], is_probe=is_probe)


def draw_exam(available, probe, exam, rng):
    """Choose images, and among them, at random places, those that the probe learns from."""
    rows = choose(available, probe + exam, rng)
    return rows, rng.permutation(np.arange(len(rows)) < probe)


def choose(available, wanted, rng):
    """So many different rows, in a random order."""
    if wanted > available:
        raise SystemExit(f"{wanted} images are wanted, but the pool has {available}")
    return rng.permutation(available)[:wanted]


def _read_facts(root):
    return json.loads((root / "stage.json").read_text("utf-8"))


def _load_pool(folder):
    return np.load(folder / "images.npy"), np.load(folder / "labels.npy")


def _save(folder, **arrays):
    folder.mkdir(parents=True, exist_ok=True)
    for name, array in arrays.items():
        np.save(folder / f"{name}.npy", array, allow_pickle=False)


if __name__ == "__main__":
    {"prepare": prepare, "draw": draw}[sys.argv[1]](Path(sys.argv[2]))
