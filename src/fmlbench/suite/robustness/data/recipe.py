"""Let contributors poison pictures, show them through a secret sensor, and ask about all of their backdoors.

    recipe.py prepare ROOT    ROOT/raw/{mnist,fashion-mnist,quickdraw}  -> ROOT/pools/WORLD/{images,classes,parts}.npy
    recipe.py draw ROOT       ROOT/pools, ROOT/stage.json               -> ROOT/out/{train,validation,test}/

Which classes belong to a world, and which pictures train, validate and test, is fixed and public. A seed decides how
classes lie, which numbers they have, the triggers, the poison and the sensor, and in the lab which classes there are.
"""

import numpy as np
from datasetkit import main, read_request, save
from optics import draw_optics
from pictures import read_fashion, read_mnist, read_quickdraw, rerender
from poisoning import draw_backdoors, draw_benign, plan_training
from sensor import make_sensor
from yardstick import label_by_yardstick

PARTS = ("train", "validation", "test")
SHARES = (0.6, 0.8)
"""The pictures of a class up to the first share train, those from there to the second one validate."""
PER_CLASS = 3_000
"""More pictures of a class are not used: they would make the pools large and change nothing."""
DIGITS = {"scored": (0, 2, 4, 6, 7), "sibling": (1, 3, 5, 8, 9)}
CLOTHES = {"scored": (0, 1, 4, 5, 8), "sibling": (2, 3, 6, 7, 9)}
"""Which digits and which of Fashion-MNIST's classes a world has: 6 and 9, or sneakers and sandals, are not together."""
CLASSES = 10
"""So many classes of pictures are in a sample: all of the world, or in the lab, which has 345, a random choice."""
WAYS = 8
"""Ways to lay a picture (see ``turn``). Each class of a sample lies in one of them."""
JITTER = {
    "turn": 0.08,
    "scale": 0.06,
    "shear": 0.06,
    "shift": 0.7,
    "warp": 0.4,
    "pen": 0.4,
    "gain": 0.15,
    "noise": 0.03,
}
STRENGTHS = (2.0, 2.8)
"""The strength of a trigger on a picture, as a multiple of what its maker draws."""


def prepare(root):
    """Write the pictures of each world with their classes and parts; clothes are numbered from 1,000."""
    raw = root / "raw"
    digits, digit_classes = read_mnist(raw / "mnist")
    clothes, clothes_classes = read_fashion(raw / "fashion-mnist")
    images, classes = np.concatenate([digits, clothes]), np.concatenate([digit_classes, 1_000 + clothes_classes])
    for world in ("scored", "sibling"):
        kept = np.isin(classes, [*DIGITS[world], *(1_000 + one for one in CLOTHES[world])])
        write_pool(root / "pools" / world, images[kept], classes[kept])
    drawings, classes, _ = read_quickdraw(raw / "quickdraw")
    write_pool(root / "pools" / "lab", drawings, classes)


def write_pool(folder, images, classes):
    """Drop repeated pictures, keep at most ``PER_CLASS`` of a class, and number the part each belongs to."""
    _, first = np.unique(images.reshape(len(images), -1), axis=0, return_index=True)
    chosen, parts = [], []
    for one in np.unique(classes):
        rows = np.sort(first[classes[first] == one])[:PER_CLASS]
        chosen.append(rows)
        parts.append(np.searchsorted(SHARES, np.arange(len(rows)) / len(rows), side="right"))
    rows = np.concatenate(chosen)
    save(folder, images=images[rows], classes=classes[rows], parts=np.concatenate(parts))


def draw(root):
    """Draw classes, backdoors and a sensor, then the training set and the exams as the sensor sees them."""
    request = read_request(root)
    seed, settings, world = request.seed, request.settings, request.world
    rng = np.random.default_rng([seed, 0])
    source = draw_source(root / "pools" / world, rng)
    backdoors = draw_backdoors(world, source.labels, settings, rng)
    benign = draw_benign(world, source.labels, settings, rng)
    plan = plan_training(backdoors, benign, source.labels, settings, rng)
    pictures = render(plan, source, "train", [*backdoors, *benign], rng)
    sensor = fit_sensor(pictures, settings["readings"], rng)
    vectors, told = sensor(pictures), plan["answers"]
    kept = keep_share(told, request.train_share, rng)
    save(root / "out" / "train", vectors=vectors[kept], labels=told[kept], sources=plan["sources"][kept])
    honest = (plan["triggers"] < 0) | (plan["triggers"] >= len(backdoors))
    targets = np.stack([backdoor.targets for backdoor in backdoors])
    for exam in ("validation", "test"):
        plan = plan_exam(backdoors, source.labels, settings, rng)
        asked = sensor(render(plan, source, exam, backdoors, rng))
        save(root / "out" / exam / "questions", vectors=asked)
        yardstick = label_by_yardstick(vectors[honest], told[honest], asked)
        truth = {"labels": plan["labels"], "triggers": plan["triggers"], "targets": targets, "yardstick": yardstick}
        save(root / "out" / exam / "labels", **truth)


class Source:
    """The classes of a sample: hands out pictures by label, none twice before all of its class were used."""

    def __init__(self, images, parts, members, turns, jitter, rng):
        self.labels = len(members)
        self._images, self._turns, self._jitter, self._rng = images, turns, jitter, rng
        self._rows = {
            (part, label): rng.permutation(rows[parts[rows] == number])
            for label, rows in enumerate(members)
            for number, part in enumerate(PARTS)
        }

    def take(self, part, labels):
        """Render a picture of that part anew for each of [n] labels."""
        images = np.empty((len(labels), *self._images.shape[1:]), self._images.dtype)
        for label in np.unique(labels):
            wanted = np.flatnonzero(labels == label)
            rows = np.resize(self._rows[part, label], len(wanted))
            self._rows[part, label] = np.roll(self._rows[part, label], -len(wanted))
            images[wanted] = turn(self._images[rows], self._turns[label])
        return rerender(images, self._rng, **self._jitter)


def draw_source(folder, rng):
    """Draw the classes if there are more than needed, their numbers as labels, and the way each of them lies."""
    images, classes, parts = (np.load(folder / f"{name}.npy") for name in ("images", "classes", "parts"))
    chosen = rng.permutation(np.unique(classes))[:CLASSES]
    members = [np.flatnonzero(classes == one) for one in chosen]
    return Source(images, parts, members, rng.integers(0, WAYS, len(chosen)), JITTER, rng)


def turn(images, way):
    """One of the eight ways to lay a square picture: four quarter turns, each mirrored or not."""
    images = np.rot90(images, way % 4, axes=(1, 2))
    return images.transpose(0, 2, 1) if way >= 4 else images


def plan_exam(backdoors, labels, settings, rng):
    """Decide on each question's label and trigger: clean ones, and the same number for every backdoor."""
    sizes = [settings["exam_clean"], *[settings["exam_triggered"]] * len(backdoors)]
    own = rng.integers(0, labels, sum(sizes))
    triggers = np.repeat(np.arange(-1, len(backdoors)), sizes)
    order = rng.permutation(len(own))
    return {"labels": own[order], "triggers": triggers[order]}


def render(plan, source, part, backdoors, rng):
    """The pictures of a plan, with their triggers on them."""
    pictures = source.take(part, plan["labels"])
    for number, backdoor in enumerate(backdoors):
        rows = np.flatnonzero(plan["triggers"] == number)
        strengths = rng.uniform(*STRENGTHS, len(rows))
        pictures[rows] = np.clip(backdoor.trigger(pictures[rows], strengths), 0, 1)
    return pictures


def fit_sensor(pictures, readings, rng):
    """A function from pictures to vectors: random optics, then the shared sensor, fitted to these pictures."""
    optics = draw_optics(rng)
    sensor = make_sensor(optics.read(pictures), readings, rng)
    return lambda pictures: sensor.read(optics.read(pictures))


def keep_share(labels, share, rng):
    """Rows of a random share of the examples, at least two of each label, in random order."""
    order = rng.permutation(len(labels))
    if share >= 1:
        return order
    rank = np.empty(len(labels), int)
    for label in np.unique(labels):
        rows = order[labels[order] == label]
        rank[rows] = np.arange(len(rows))
    kept = np.zeros(len(labels), bool)
    kept[order[: round(share * len(labels))]] = True
    return order[(kept | (rank < 2))[order]]


if __name__ == "__main__":
    main(prepare=prepare, sample=draw)
