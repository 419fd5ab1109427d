"""Draw classes and members, and show their pictures through a secret sensor.

    recipe.py prepare ROOT    ROOT/raw/{mnist,fashion-mnist} -> ROOT/pools/WORLD/{pictures,kinds,parts}.npy
    recipe.py draw ROOT       ROOT/pools, ROOT/stage.json    -> ROOT/out/{model-1, ..., public, validation, test}/

Public and fixed: which kinds of pictures belong to a world, and which pictures of a kind are audited, public or used to
measure accuracy. A class is a kind in one pose. Drawn by the secret seed: the classes with their poses and numbers,
which pictures are taken, how each of them is rendered, the sensor, and which audited pictures each network gets.
"""

import hashlib
import json
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
from crosstalk import make_crosstalk
from pictures import SIDE, read_fashion, read_mnist, rerender, sample_at
from sensor import make_sensor

CLASSES = 10
PER_MEMBER = 3
"""One in so many audited pictures is a member of a network."""
EXAMS = ("validation", "test")
PARTS = {"audit-validation": 0.15, "audit-test": 0.3, "accuracy-validation": 0.5, "accuracy-test": 0.7, "public": 1.0}
"""Where each part of a kind's pictures ends."""
MOST_PER_KIND = 6_000
"""More pictures of a kind are not used: they would make the pools large and change nothing."""
DIGITS = {"lab": (1, 2, 5, 6, 8), "sibling": (3, 4, 7, 9)}
"""The scored world has all clothes. No world has zeros, which look the same in all orientations."""
QUARTER_TURNS = {"scored": 4, "lab": 2, "sibling": 4}
"""The orientations of a kind; half a turn does not change the digits 1, 2 and 8."""
TILT, SHRINK, STRETCH, SLANT = np.pi / 6, 1.1, 0.12, 0.2
"""The pose of a class: how far it is tilted at most, the inverse of its size, standard deviations of stretch and slant.

Poses of one kind differ by at least 30 degrees, so no two classes look alike.
"""
JITTER = {"turn": 0.2, "scale": 0.12, "shear": 0.12, "shift": 1.5, "warp": 0.8, "pen": 0.5, "gain": 0.2, "noise": 0.05}
"""How much pictures change when they are rendered anew."""


def prepare(root):
    """Write the pictures of each world with their kinds and parts."""
    raw = root / "raw"
    save(root / "pools" / "scored", **make_pool(*read_fashion(raw / "fashion-mnist")))
    digits, kinds = read_mnist(raw / "mnist")
    for world, chosen in DIGITS.items():
        rows = np.isin(kinds, chosen)
        save(root / "pools" / world, **make_pool(digits[rows], kinds[rows]))


def make_pool(pictures, kinds):
    """Drop repeated pictures, keep at most ``MOST_PER_KIND`` of a kind, and number the part each belongs to.

    A repeated picture could be a member and no member at once, or public.
    """
    ranks = np.array([hashlib.sha256(picture.tobytes()).hexdigest() for picture in pictures])
    # In the order of hashes: as good as random, and the same with any library.
    order = np.unique(ranks, return_index=True)[1]
    chosen = [order[kinds[order] == kind][:MOST_PER_KIND] for kind in np.unique(kinds)]
    rows = np.concatenate(chosen)
    parts = np.concatenate([divide(len(of_kind)) for of_kind in chosen])
    return {"pictures": pictures[rows], "kinds": kinds[rows], "parts": parts}


def divide(count):
    """The number of the part that each of ``count`` pictures belongs to."""
    return np.searchsorted(list(PARTS.values()), np.arange(count) / count, side="right")


def draw(root):
    """Draw the classes, both audits, the members of every network and the public vectors."""
    facts = json.loads((root / "stage.json").read_text("utf-8"))
    seed, settings, world = facts["seed"], facts["settings"], facts.get("world", "scored")
    source = Source(root / "pools" / world, world, np.random.default_rng([seed, 0]))
    rendered = {
        part: source.render(part, settings[f"{part.split('-')[0]}_per_class"], np.random.default_rng([seed, 1, number]))
        for number, part in enumerate(PARTS)
    }
    sensor = make_sensor(rendered["public"][0], settings["sensor_size"], np.random.default_rng([seed, 2]))
    crosstalk = make_crosstalk(sensor.read(rendered["public"][0]), np.random.default_rng([seed, 5]))
    seen = {part: (crosstalk.disturb(sensor.read(pictures)), labels) for part, (pictures, labels) in rendered.items()}
    save(root / "out" / "public", vectors=seen["public"][0])
    members = {}
    for stream, exam in enumerate(EXAMS):
        vectors, labels = seen[f"audit-{exam}"]
        rng = np.random.default_rng([seed, 3, stream])
        members[exam] = draw_members(settings["models"], len(labels), rng)
        save(root / "out" / exam / "questions", models=np.arange(1, settings["models"] + 1))
        save(
            root / "out" / exam / "labels",
            audit_vectors=vectors,
            audit_labels=labels,
            members=members[exam],
            accuracy_vectors=seen[f"accuracy-{exam}"][0],
            accuracy_labels=seen[f"accuracy-{exam}"][1],
        )
    for model in range(settings["models"]):
        parts = [(*seen[f"audit-{exam}"], members[exam][model]) for exam in EXAMS]
        vectors = np.concatenate([vectors[chosen] for vectors, _, chosen in parts])
        labels = np.concatenate([labels[chosen] for _, labels, chosen in parts])
        rows = keep_share(labels, facts.get("train_share", 1.0), np.random.default_rng([seed, 4, model]))
        save(root / "out" / f"model-{model + 1}", vectors=vectors[rows], labels=labels[rows])


class Source:
    """The classes of a sample, and their pictures by part."""

    def __init__(self, folder, world, rng):
        self._pictures, self._kinds, self._parts = load_pool(folder)
        known = [(kind, turns) for kind in np.unique(self._kinds) for turns in range(QUARTER_TURNS[world])]
        self.classes = [known[number] for number in rng.permutation(len(known))[:CLASSES]]
        self.poses = [random_pose(turns, rng) for _, turns in self.classes]

    def render(self, part, per_class, rng):
        """Render equally many pictures of each class, in random order.

        No picture is taken twice, in whatever orientation, as long as there are enough of its kind.
        """
        of_part = np.flatnonzero(self._parts == list(PARTS).index(part))
        waiting = {kind: rng.permutation(of_part[self._kinds[of_part] == kind]) for kind, _ in self.classes}
        pictures = []
        for (kind, _), matrix in zip(self.classes, self.poses, strict=True):
            chosen = np.resize(waiting[kind], per_class)
            waiting[kind] = np.roll(waiting[kind], -per_class)
            pictures.append(pose(self._pictures[chosen], matrix))
        order = rng.permutation(len(pictures) * per_class)
        rendered = rerender(np.concatenate(pictures), rng, **JITTER)
        return rendered[order], np.repeat(np.arange(len(pictures)), per_class)[order]


def random_pose(turns, rng):
    """A 2 x 2 matrix: quarter turns and a tilt, slant and stretch; smaller, so that corners stay in the picture."""
    angle = turns * np.pi / 2 + rng.uniform(-TILT, TILT)
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    stretch = np.diag(SHRINK * np.exp(STRETCH * rng.standard_normal(2)))
    return stretch @ np.array([[1, SLANT * rng.standard_normal()], [0, 1]]) @ turn


def pose(pictures, matrix):
    """Show all pictures in one pose: the mean picture of a class is therefore no public one."""
    middle = (SIDE - 1) / 2
    grid = np.stack(np.meshgrid(np.arange(SIDE) - middle, np.arange(SIDE) - middle, indexing="ij"))
    down, right = np.tensordot(matrix, grid, axes=1) + middle
    shape = pictures.shape
    moved = sample_at(pictures.astype(np.float32), np.broadcast_to(down, shape), np.broadcast_to(right, shape))
    return np.rint(moved).astype(np.uint8)


def load_pool(folder):
    """Pictures, kinds and parts."""
    return tuple(np.load(folder / f"{name}.npy") for name in ("pictures", "kinds", "parts"))


def draw_members(models, pictures, rng):
    """Whether a picture is a member of a network, [models, pictures]: for each network, a random third is."""
    members = np.zeros((models, pictures), dtype=bool)
    for row in members:
        row[rng.permutation(pictures)[: pictures // PER_MEMBER]] = True
    return members


def keep_share(labels, share, rng):
    """Rows of a random share of the members, at least two of each label, in random order."""
    order = rng.permutation(len(labels))
    rank = np.empty(len(labels), int)
    for label in np.unique(labels):
        rows = order[labels[order] == label]
        rank[rows] = np.arange(len(rows))
    first = np.zeros(len(labels), bool)
    first[order[: round(share * len(labels))]] = True
    return order[(first | (rank < 2))[order]]


def save(folder, **arrays):
    """Write arrays by name."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, array in arrays.items():
        np.save(folder / f"{name}.npy", array, allow_pickle=False)


if __name__ == "__main__":
    {"prepare": prepare, "draw": draw}[sys.argv[1]](Path(sys.argv[2]))
