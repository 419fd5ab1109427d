"""Deal Quick, Draw! classes to three worlds, and sample sensor readings and few-shot episodes from one of them.

    recipe.py prepare ROOT    ROOT/raw/quickdraw/CLASS.ndjson.gz -> ROOT/pools/WORLD/{images,labels}.npy
    recipe.py draw ROOT       ROOT/pools, ROOT/stage.json        -> ROOT/out/{train,validation,test}/

Which classes belong to which world is fixed and public. The seed decides everything else: which classes of the world
train, validate and test, in which pose each class is shown, which drawings are used, how each is rendered, and the
sensor that turns drawings into vectors.
Classes are dealt in groups of similar difficulty, so that exams of different seeds are about equally hard.
"""

import json
import math

import numpy as np
from datasetkit import main, read_request, save, save_exam
from crosstalk import make_crosstalk
from pictures import SIDE, deal_classes, read_quickdraw, rerender, sample_at
from sensor import make_sensor

WORLDS = {
    "scored": {"train": 80, "validation": 60, "test": 60},
    "lab": {"train": 35, "validation": 10, "test": 10},
    "sibling": {"train": 40, "validation": 10, "test": 40},
}
"""How many classes of each world train, validate and test."""
JITTER = {
    "turn": 0.06,
    "scale": 0.04,
    "shear": 0.04,
    "shift": 0.5,
    "warp": 0.3,
    "pen": 0.2,
    "gain": 0.1,
    "noise": 0.02,
}
"""How much a drawing changes when it is rendered anew: little, because the sensor hides its identity."""
SHRINK, STRETCH, SLANT = 1.1, 0.12, 0.2
"""The pose of a class: the inverse of its size, and standard deviations of its stretch and slant."""
FITTED_ON = 5_000
"""Pictures that the sensor and its crosstalk are fitted to; more change nothing but the time it takes."""


def prepare(root):
    """Read every class and store the drawings of each world."""
    images, labels, names = read_quickdraw(root / "raw" / "quickdraw")
    total = sum(sum(parts.values()) for parts in WORLDS.values())
    if len(names) != total:
        raise SystemExit(f"Expected {total} classes of drawings, found {len(names)}.")
    shares = {world: sum(parts.values()) / total for world, parts in WORLDS.items()}
    for world, chosen in deal_classes(names, shares, "fmlbench data-efficiency").items():
        numbers = np.array(sorted(names.index(name) for name in chosen))
        rows = np.isin(labels, numbers)
        pool, own = images[rows], np.searchsorted(numbers, labels[rows])
        save(root / "pools" / world, images=pool, labels=own, order=rank_classes(pool, own))
        (root / "pools" / world / "classes.json").write_text(json.dumps([names[n] for n in numbers]), "utf-8")


def rank_classes(images, labels):
    """Order classes by difficulty: how much nearer a drawing's pixels are to its class than to the others' means.

    The mean over the drawings of a class of the share of other classes whose mean picture is less similar.
    """
    flat = images.reshape(len(images), -1).astype(np.float32)
    flat -= flat.mean(axis=0)
    flat /= np.linalg.norm(flat, axis=1, keepdims=True)
    counts = np.bincount(labels)
    sums = np.stack([flat[labels == label].sum(axis=0) for label in range(len(counts))])
    similarity = flat @ (sums / counts[:, None]).T
    # A drawing must not count towards the mean of its own class.
    own = ((flat * (sums[labels] - flat)).sum(axis=1) / (counts[labels] - 1))[:, None]
    ease = (similarity < own).mean(axis=1)
    return np.argsort([ease[labels == label].mean() for label in range(len(counts))])


def draw(root):
    """Sample a training set and the episodes of both exams, all seen through one sensor."""
    request = read_request(root)
    settings, world = request.settings, request.world
    rng = np.random.default_rng(request.seed)
    pool = root / "pools" / world
    images, labels = np.load(pool / "images.npy"), np.load(pool / "labels.npy")
    classes = deal_parts(np.load(pool / "order.npy"), WORLDS[world], rng)
    drawings = choose_drawings(labels, classes, settings, rng)
    used = np.concatenate([rows.ravel() for rows in drawings.values()])
    posed = pose(images[used], labels[used], rng)
    readings = read_through_sensor(rerender(posed, rng, **JITTER), settings["size"], rng)
    vectors = dict(zip(used, readings, strict=True))
    for exam in ("validation", "test"):
        support, support_labels, query, query_labels = draw_episodes(drawings[exam], settings, rng)
        questions = {
            "support_vectors": look_up(support, vectors),
            "support_labels": support_labels,
            "query_vectors": look_up(query, vectors),
        }
        save_exam(root / "out" / exam, questions, {"query_labels": query_labels})
    # After the exams, so that a starved sample has the same ones.
    kept = drawings["train"][:, : kept_per_class(settings["train_per_class"], request.train_share)]
    save(root / "out" / "train", **training_set(kept, vectors, rng))


def deal_parts(order, parts, rng):
    """Deal classes to training and exams, in groups of neighbours in ``order``, so that each part has all levels."""
    largest = math.gcd(*parts.values())
    names = [part for part, count in parts.items() for _ in range(count // largest)]
    dealt = {part: [] for part in parts}
    for group in np.split(order, largest):
        for part, label in zip(names, rng.permutation(group), strict=True):
            dealt[part].append(label)
    return {part: rng.permutation(labels) for part, labels in dealt.items()}


def choose_drawings(labels, classes, settings, rng):
    """The rows of the drawings of each part, [classes, drawings]."""
    per_exam = settings["rounds"] * (settings["shot"] + settings["queries"])
    sizes = {"train": settings["train_per_class"], "validation": per_exam, "test": per_exam}
    return {
        part: np.stack([rng.permutation(np.flatnonzero(labels == label))[: sizes[part]] for label in chosen])
        for part, chosen in classes.items()
    }


def pose(images, labels, rng):
    """Show each class in a secret pose: turned by any angle, perhaps mirrored, stretched and slanted.

    Drawings of a class share its pose, so classes stay as easy to tell apart as they are. But the mean picture of a
    class is no longer a public one, so training classes cannot be recognised by their similarities to each other.
    """
    middle = (SIDE - 1) / 2
    grid = np.stack(np.meshgrid(np.arange(SIDE) - middle, np.arange(SIDE) - middle, indexing="ij"))
    posed = np.empty_like(images)
    for label in np.unique(labels):
        rows = labels == label
        down, right = np.tensordot(random_pose(rng), grid, axes=1) + middle
        shape = (rows.sum(), SIDE, SIDE)
        moved = sample_at(images[rows].astype(np.float32), np.broadcast_to(down, shape), np.broadcast_to(right, shape))
        posed[rows] = np.rint(moved)
    return posed


def random_pose(rng):
    """A 2 x 2 matrix: turn, mirror, slant and stretch; slightly smaller, so that corners stay in the picture."""
    angle = rng.uniform(0, 2 * np.pi)
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    stretch = np.diag(SHRINK * np.exp(STRETCH * rng.standard_normal(2)) * [1, rng.choice([-1, 1])])
    return stretch @ np.array([[1, SLANT * rng.standard_normal()], [0, 1]]) @ turn


def read_through_sensor(pictures, size, rng):
    """Vectors of pictures: white, rotated, and with crosstalk, so that moments do not give the rotation away."""
    fitted_on = pictures[rng.permutation(len(pictures))[:FITTED_ON]]
    sensor = make_sensor(fitted_on, size, rng)
    return make_crosstalk(sensor.read(fitted_on), rng).disturb(sensor.read(pictures))


def kept_per_class(count, share):
    """The training drawings of each class; a starved sample keeps at least two, so that pairs exist."""
    return max(2, round(count * share)) if share < 1 else count


def training_set(rows, vectors, rng):
    """Vectors and class numbers in random order; class numbers follow the random order of the classes."""
    labels = np.repeat(np.arange(len(rows)), rows.shape[1])
    order = rng.permutation(rows.size)
    return {"vectors": look_up(rows.ravel()[order], vectors), "labels": labels[order]}


def draw_episodes(rows, settings, rng):
    """Sample few-shot episodes in rounds: each round uses every class once, with drawings no other round uses.

    Using classes equally often, and no drawing twice, makes the score less noisy than independent episodes.
    """
    way, shot = settings["way"], settings["shot"]
    episodes = []
    for drawings in np.split(rows, settings["rounds"], axis=1):
        classes = rng.permutation(len(rows))
        groups = classes[: len(classes) // way * way].reshape(-1, way)
        episodes += [_episode(drawings[group], shot, rng) for group in groups]
    order = rng.permutation(len(episodes))
    return tuple(np.stack(part)[order] for part in zip(*episodes, strict=True))


def _episode(rows, shot, rng):
    """Split each class's drawings into support and query, and shuffle both so that positions say nothing."""
    labels = np.broadcast_to(np.arange(len(rows))[:, None], rows.shape)
    support = rng.permutation(rows[:, :shot].size)
    query = rng.permutation(rows[:, shot:].size)
    return (
        rows[:, :shot].ravel()[support],
        labels[:, :shot].ravel()[support],
        rows[:, shot:].ravel()[query],
        labels[:, shot:].ravel()[query],
    )


def look_up(rows, vectors):
    """The vectors of drawings, in the shape of ``rows``."""
    return np.stack([vectors[row] for row in rows.ravel()]).reshape(*rows.shape, -1)


if __name__ == "__main__":
    main(prepare=prepare, sample=draw)
