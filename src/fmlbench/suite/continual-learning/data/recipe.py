"""Make disjoint pools of MNIST digits, and draw five contexts of two classes and two exams about all of them.

    recipe.py prepare ROOT    ROOT/raw/mnist/*-ubyte      -> ROOT/pools/SPLIT/{images,labels}.npy
    recipe.py draw ROOT       ROOT/pools, ROOT/stage.json -> ROOT/out/{context-1, ..., context-5, validation, test}/

Which images train, validate and test is fixed once. A seed deals the ten digits into contexts, and draws the images of
every context and of both exams. Classes are numbered in the order in which they are learned, so a label says nothing
about which digit it stands for.
"""

import hashlib
import json
import sys
from pathlib import Path

import numpy as np

CLASSES = 10
CLASSES_PER_CONTEXT = 2
HELD_OUT = 1000
"""How many images of every digit in the training file are set aside for validation."""
IDX_HEADERS = {"images": 16, "labels": 8}


def prepare(root):
    """Divide the training file into training and validation; the test file is the pool of the sealed test."""
    raw = root / "raw" / "mnist"
    images, labels = read_pair(raw, "train")
    held_out = choose_held_out(images, labels)
    _save(root / "pools" / "train", images=images[~held_out], labels=labels[~held_out])
    _save(root / "pools" / "validation", images=images[held_out], labels=labels[held_out])
    images, labels = read_pair(raw, "t10k")
    _save(root / "pools" / "test", images=images, labels=labels)


def read_pair(folder, name):
    """Return the [n, 28, 28] images and [n] labels of one of the two pairs of files."""
    images = _read_idx(folder / f"{name}-images-idx3-ubyte", "images").reshape(-1, 28, 28)
    labels = _read_idx(folder / f"{name}-labels-idx1-ubyte", "labels")
    if len(images) != len(labels) or set(labels.tolist()) != set(range(CLASSES)):
        raise SystemExit(f"{name}: {len(images)} images, {len(labels)} labels of {len(set(labels.tolist()))} classes")
    return images, labels


def _read_idx(path, kind):
    return np.frombuffer(path.read_bytes(), np.uint8, offset=IDX_HEADERS[kind])


def choose_held_out(images, labels):
    """Mark as many images of every digit for validation, by a hash of each: fixed, and nobody's choice."""
    ranks = np.array([hashlib.sha256(image.tobytes()).hexdigest() for image in images])
    held_out = np.zeros(len(images), dtype=bool)
    for digit in range(CLASSES):
        rows = np.flatnonzero(labels == digit)
        held_out[rows[np.argsort(ranks[rows], kind="stable")[:HELD_OUT]]] = True
    return held_out


def draw(root):
    """Draw the contexts and both exams."""
    facts = json.loads((root / "stage.json").read_text("utf-8"))
    seed, settings = facts["seed"], facts["settings"]
    digits = np.random.default_rng([seed, 0]).permutation(CLASSES)
    train = _load_pool(root / "pools" / "train")
    for context in range(CLASSES // CLASSES_PER_CONTEXT):
        classes = range(context * CLASSES_PER_CONTEXT, (context + 1) * CLASSES_PER_CONTEXT)
        rng = np.random.default_rng([seed, 1, context])
        images, labels = draw_classes(*train, digits, classes, settings["train_per_class"], rng)
        _save(root / "out" / f"context-{context + 1}", images=images, labels=labels)
    for stream, exam in enumerate(("validation", "test"), start=2):
        rng = np.random.default_rng([seed, stream])
        pool = _load_pool(root / "pools" / exam)
        images, labels = draw_classes(*pool, digits, range(CLASSES), settings["exam_per_class"], rng)
        _save(root / "out" / exam / "questions", images=images)
        _save(root / "out" / exam / "labels", labels=labels)


def draw_classes(images, labels, digits, classes, per_class, rng):
    """Draw equally many images of these classes, shuffled; class c shows the digit ``digits[c]``."""
    chosen = [rng.permutation(np.flatnonzero(labels == digits[c]))[:per_class] for c in classes]
    names = np.repeat(np.array(classes, dtype=np.int64), [len(rows) for rows in chosen])
    order = rng.permutation(len(names))
    return images[np.concatenate(chosen)[order]], names[order]


def _load_pool(folder):
    return np.load(folder / "images.npy"), np.load(folder / "labels.npy")


def _save(folder, **arrays):
    folder.mkdir(parents=True, exist_ok=True)
    for name, array in arrays.items():
        np.save(folder / f"{name}.npy", array, allow_pickle=False)


if __name__ == "__main__":
    {"prepare": prepare, "draw": draw}[sys.argv[1]](Path(sys.argv[2]))
