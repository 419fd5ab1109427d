"""Divide kinds of pictures among three worlds, and draw classes to learn in sequence, seen through a secret sensor.

    recipe.py prepare ROOT    ROOT/raw/{quickdraw,mnist,fashion-mnist} -> ROOT/pools/WORLD/{pictures,kinds,parts}.npy
    recipe.py draw ROOT       ROOT/pools, ROOT/stage.json              -> ROOT/out/{context-1, ..., validation, test}/

Public and fixed: which kinds of pictures belong to a world, and which pictures of a kind train, validate and test.
Drawn by the secret seed: the kinds, their order and their numbers, how each picture is rendered, and the sensor. A
candidate sees vectors only. The sensor is fitted to the training pictures of the sample before any are taken away.
"""

import hashlib
import json
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
from pictures import deal_classes, read_fashion, read_mnist, read_quickdraw, rerender
from sensor import make_sensor

CONTEXTS = 4
CLASSES_PER_CONTEXT = 10
CLASSES = CONTEXTS * CLASSES_PER_CONTEXT
DRAWINGS = {"scored": 220 / 345, "lab": 100 / 345, "sibling": 25 / 345}
"""How the kinds of Quick, Draw! are divided among the worlds; the sibling also has all digits and clothes."""
PICTURES_PER_KIND = 100
"""Quick, Draw! has no more."""
PARTS = {"train": 0.5, "validation": 0.75, "test": 1.0}
"""Where each part of a kind's pictures ends."""
RENDERING = {
    "turn": 0.06,
    "scale": 0.05,
    "shear": 0.05,
    "shift": 0.7,
    "warp": 0.4,
    "pen": 0.3,
    "gain": 0.1,
    "noise": 0.02,
}
"""How much pictures change when they are rendered anew: no two are alike, and all can be recognised."""


def prepare(root):
    """Fix the worlds."""
    images, labels, names = read_quickdraw(root / "raw" / "quickdraw")
    drawings = {name: images[labels == label] for label, name in enumerate(names)}
    worlds = deal_classes(names, DRAWINGS, "fmlbench continual-learning")
    kinds = {world: [drawings[name] for name in members] for world, members in worlds.items()}
    for images, labels in (read_mnist(root / "raw" / "mnist"), read_fashion(root / "raw" / "fashion-mnist")):
        kinds["sibling"] += [images[labels == label] for label in range(10)]
    for world, members in kinds.items():
        _save(root / "pools" / world, **make_pool(members))
    (root / "pools" / "worlds.json").write_text(json.dumps(worlds, indent=1), "utf-8")


def make_pool(members):
    """Return up to a hundred pictures of each kind, the number of the kind of each, and the part it belongs to."""
    chosen = [choose_pictures(pictures) for pictures in members]
    return {
        "pictures": np.concatenate(chosen),
        "kinds": np.repeat(np.arange(len(chosen)), [len(pictures) for pictures in chosen]),
        "parts": np.concatenate([divide(len(pictures)) for pictures in chosen]),
    }


def choose_pictures(pictures):
    """Return the first hundred in the order of their hashes: as good as random, and the same with any library."""
    ranks = [hashlib.sha256(picture.tobytes()).hexdigest() for picture in pictures]
    return pictures[np.argsort(ranks, kind="stable")[:PICTURES_PER_KIND]]


def divide(count):
    """The number of the part that each of ``count`` pictures belongs to."""
    return np.searchsorted(list(PARTS.values()), np.arange(count) / count, side="right")


def draw(root):
    """Draw the classes, render their pictures, and show them through a new sensor."""
    facts = json.loads((root / "stage.json").read_text("utf-8"))
    seed, settings = facts["seed"], facts["settings"]
    pool = _load_pool(root / "pools" / facts.get("world", "scored"))
    kinds = np.random.default_rng([seed, 0]).permutation(np.unique(pool["kinds"]))[:CLASSES]
    per_class = {
        "train": settings["train_per_class"],
        **dict.fromkeys(("validation", "test"), settings["exam_per_class"]),
    }
    rendered = {
        part: render(pool, kinds, number, per_class[part], np.random.default_rng([seed, 1, number]))
        for number, part in enumerate(PARTS)
    }
    sensor = make_sensor(rendered["train"][0], settings["sensor_size"], np.random.default_rng([seed, 2]))
    share = facts.get("train_share", 1.0)
    save_contexts(root / "out", sensor, *rendered["train"], share, np.random.default_rng([seed, 3]))
    for stream, exam in enumerate(("validation", "test"), start=4):
        pictures, labels = rendered[exam]
        order = np.random.default_rng([seed, stream]).permutation(len(labels))
        _save(root / "out" / exam / "questions", vectors=sensor.read(pictures[order]))
        _save(root / "out" / exam / "labels", labels=labels[order])


def render(pool, kinds, part, per_class, rng):
    """Render equally many pictures of each class, and every picture of the part equally often; label c is kinds[c]."""
    rows = [np.flatnonzero((pool["kinds"] == kind) & (pool["parts"] == part)) for kind in kinds]
    chosen = np.concatenate([np.resize(rng.permutation(of_class), per_class) for of_class in rows])
    return rerender(pool["pictures"][chosen], rng, **RENDERING), np.repeat(np.arange(len(kinds)), per_class)


def save_contexts(out, sensor, pictures, labels, share, rng):
    """Write each context's own classes, shuffled, with this share of their examples and at least two of each class."""
    per_class = len(labels) // CLASSES
    kept = np.arange(len(labels)) % per_class < max(2, round(share * per_class))
    for context in range(CONTEXTS):
        rows = rng.permutation(np.flatnonzero(kept & (labels // CLASSES_PER_CONTEXT == context)))
        _save(out / f"context-{context + 1}", vectors=sensor.read(pictures[rows]), labels=labels[rows])


def _load_pool(folder):
    return {name: np.load(folder / f"{name}.npy") for name in ("pictures", "kinds", "parts")}


def _save(folder, **arrays):
    folder.mkdir(parents=True, exist_ok=True)
    for name, array in arrays.items():
        np.save(folder / f"{name}.npy", array, allow_pickle=False)


if __name__ == "__main__":
    {"prepare": prepare, "draw": draw}[sys.argv[1]](Path(sys.argv[2]))
