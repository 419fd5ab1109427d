"""Divide kinds of pictures among three worlds, and draw classes to learn in sequence, seen through a secret sensor.

    recipe.py prepare ROOT    ROOT/raw/{quickdraw,mnist,fashion-mnist} -> ROOT/pools/WORLD/*.npy
    recipe.py draw ROOT       ROOT/pools, ROOT/stage.json              -> ROOT/out/{context-1, ..., validation, test}/

Public and fixed: which kinds of pictures belong to a world, and which pictures of a kind train, validate and test.
Drawn by the secret seed: the kinds, their order and their numbers, the pose of each kind, how each picture is rendered,
and the sensor with its crosstalk. A candidate sees vectors only. The sensor is fitted to the training pictures of the
sample before any are taken away. Of several choices of kinds and poses a sample has the one that is closest to the
world's usual difficulty, so that samples of different seeds are about equally hard.
"""

import hashlib
import json

import numpy as np
from datasetkit import load, main, read_request, save, save_exam
from crosstalk import make_crosstalk
from pictures import SIDE, deal_classes, read_fashion, read_mnist, read_quickdraw, rerender, sample_at
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
SHRINK, STRETCH, SLANT = 1.1, 0.12, 0.2
"""The pose of a kind: the inverse of its size, and standard deviations of its stretch and slant."""
CHOICES = 8
"""Choices of kinds and poses that a sample is taken from."""
MEASURED = 24
"""Public choices whose mean ease is the usual one of a world."""


def prepare(root):
    """Fix the worlds."""
    images, labels, names = read_quickdraw(root / "raw" / "quickdraw")
    drawings = {name: images[labels == label] for label, name in enumerate(names)}
    worlds = deal_classes(names, DRAWINGS, "fmlbench continual-learning")
    kinds = {world: [drawings[name] for name in members] for world, members in worlds.items()}
    for images, labels in (read_mnist(root / "raw" / "mnist"), read_fashion(root / "raw" / "fashion-mnist")):
        kinds["sibling"] += [images[labels == label] for label in range(10)]
    for world, members in kinds.items():
        pool = make_pool(members)
        save(root / "pools" / world, **pool, ease=usual_ease(pool))
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


def usual_ease(pool):
    """The mean ease of choices that everybody can make."""
    return np.mean([measure_ease(pool, *choose(pool, np.random.default_rng([0, n]))) for n in range(MEASURED)])


def choose(pool, rng):
    """Kinds for all classes, and a pose for each."""
    kinds = rng.permutation(np.unique(pool["kinds"]))[:CLASSES]
    return kinds, [random_pose(rng) for _ in kinds]


def random_pose(rng):
    """A 2 x 2 matrix: turn, mirror, slant and stretch; slightly smaller, so that corners stay in the picture."""
    angle = rng.uniform(0, 2 * np.pi)
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    stretch = np.diag(SHRINK * np.exp(STRETCH * rng.standard_normal(2)) * [1, rng.choice([-1, 1])])
    return stretch @ np.array([[1, SLANT * rng.standard_normal()], [0, 1]]) @ turn


def pose(pictures, matrix):
    """Show all pictures in one pose.

    Pictures of a class share its pose. The mean picture of a class is therefore no public one, and classes cannot be
    recognised by their similarities to each other.
    """
    middle = (SIDE - 1) / 2
    grid = np.stack(np.meshgrid(np.arange(SIDE) - middle, np.arange(SIDE) - middle, indexing="ij"))
    down, right = np.tensordot(matrix, grid, axes=1) + middle
    shape = pictures.shape
    moved = sample_at(pictures.astype(np.float32), np.broadcast_to(down, shape), np.broadcast_to(right, shape))
    return np.rint(moved).astype(np.uint8)


def measure_ease(pool, kinds, poses):
    """The accuracy of regularised discriminant analysis (Friedman, 1989) on the exams' pictures, coarse and posed.

    Each class has the mean of its own covariance and of the one that all classes share.
    """
    rows = [np.flatnonzero(pool["kinds"] == kind) for kind in kinds]
    posed = [pose(pool["pictures"][of_kind], matrix) for of_kind, matrix in zip(rows, poses, strict=True)]
    labels = np.repeat(np.arange(len(kinds)), [len(of_kind) for of_kind in rows])
    training = pool["parts"][np.concatenate(rows)] == 0
    coarse = np.concatenate(posed).reshape(-1, SIDE // 2, 2, SIDE // 2, 2).mean(axis=(2, 4)) / 255
    vectors = make_sensor(coarse[training], 64, np.random.default_rng(0)).read(coarse).astype(np.float64)
    means = np.stack([vectors[training & (labels == label)].mean(axis=0) for label in range(len(kinds))])
    within = np.cov((vectors - means[labels])[training], rowvar=False)
    scores = []
    for label, mean in enumerate(means):
        own = np.cov(vectors[training & (labels == label)], rowvar=False)
        factor = np.linalg.cholesky((own + within) / 2 + 1e-3 * np.eye(len(within)))
        distances = np.square(np.linalg.solve(factor, (vectors[~training] - mean).T)).sum(axis=0)
        scores.append(-distances / 2 - np.log(np.diag(factor)).sum())
    return float((np.argmax(scores, axis=0) == labels[~training]).mean())


def draw(root):
    """Draw classes of the usual difficulty, render their pictures, and show them through a new sensor."""
    request = read_request(root)
    seed, settings = request.seed, request.settings
    pool = load(root / "pools" / request.world)
    choices = [choose(pool, np.random.default_rng([seed, 0, number])) for number in range(CHOICES)]
    kinds, poses = min(choices, key=lambda choice: abs(measure_ease(pool, *choice) - pool["ease"]))
    per_class = {
        "train": settings["train_per_class"],
        **dict.fromkeys(("validation", "test"), settings["exam_per_class"]),
    }
    rendered = {
        part: render(pool, kinds, poses, number, per_class[part], np.random.default_rng([seed, 1, number]))
        for number, part in enumerate(PARTS)
    }
    read = make_reader(rendered["train"][0], settings["sensor_size"], np.random.default_rng([seed, 2]))
    share = request.train_share
    save_contexts(root / "out", read, *rendered["train"], share, np.random.default_rng([seed, 3]))
    for stream, exam in enumerate(("validation", "test"), start=4):
        pictures, labels = rendered[exam]
        order = np.random.default_rng([seed, stream]).permutation(len(labels))
        save_exam(root / "out" / exam, {"vectors": read(pictures[order])}, {"labels": labels[order]})


def render(pool, kinds, poses, part, per_class, rng):
    """Render equally many pictures of each class, and every picture of the part equally often; label c is kinds[c]."""
    chosen = []
    for kind, matrix in zip(kinds, poses, strict=True):
        rows = np.flatnonzero((pool["kinds"] == kind) & (pool["parts"] == part))
        posed = pose(pool["pictures"][rows], matrix)
        chosen.append(posed[np.resize(rng.permutation(len(rows)), per_class)])
    return rerender(np.concatenate(chosen), rng, **RENDERING), np.repeat(np.arange(len(kinds)), per_class)


def make_reader(pictures, size, rng):
    """A function from pictures to vectors: a sensor fitted to these pictures, and its crosstalk."""
    sensor = make_sensor(pictures, size, rng)
    crosstalk = make_crosstalk(sensor.read(pictures), rng)
    return lambda shown: crosstalk.disturb(sensor.read(shown))


def save_contexts(out, read, pictures, labels, share, rng):
    """Write each context's own classes, shuffled, with this share of their examples and at least two of each class."""
    per_class = len(labels) // CLASSES
    kept = np.arange(len(labels)) % per_class < max(2, round(share * per_class))
    for context in range(CONTEXTS):
        rows = rng.permutation(np.flatnonzero(kept & (labels // CLASSES_PER_CONTEXT == context)))
        save(out / f"context-{context + 1}", vectors=read(pictures[rows]), labels=labels[rows])


if __name__ == "__main__":
    main(prepare=prepare, sample=draw)
