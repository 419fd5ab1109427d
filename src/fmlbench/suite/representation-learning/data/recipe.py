"""Deal public pictures to three worlds, and draw pairs of views and both exams from one of them.

    recipe.py prepare ROOT    ROOT/raw/{quickdraw,fashion-mnist,mnist} -> ROOT/pools/WORLD/{images,labels}.npy
    recipe.py draw ROOT       ROOT/pools, ROOT/stage.json              -> ROOT/out/{train,validation,test}/

Which classes belong to which world is fixed and public. A seed decides which of its drawn classes a sample has, which
pictures train and examine, how they are disturbed, and through which sensor all of them are read.
"""

import numpy as np
from datasetkit import main, read_request, save, save_exam
from crosstalk import make_crosstalk
from pictures import deal_classes, read_fashion, read_mnist, read_quickdraw
from sensor import make_sensor
from views import draw_program, render_views

WORLDS = ("scored", "lab", "sibling")
RICH = {"scored": read_fashion, "sibling": read_mnist}
"""Worlds that have a data set with thousands of pictures a class, beside their drawings."""
RICH_FOLDERS = {"scored": "fashion-mnist", "sibling": "mnist"}
RICH_CLASSES = 10
RICH_PICTURES = 3_000
"""Pictures of each such class that are kept: more than a sample can use."""
SHARES = {"train": 0.4, "validation": 0.3, "test": 0.3}
"""Of the pictures of each class. A picture serves one purpose in a sample."""
PROBE_SHARE = 0.5
"""Of an exam's pictures of each class: what the probe is fitted to shares no picture with what it is judged on."""
SENSOR_VIEWS = 3_000
"""Views that principal components are taken from."""


def prepare(root):
    """Read all pictures and deal their classes to the worlds."""
    raw = root / "raw"
    images, labels, names = read_quickdraw(raw / "quickdraw")
    dealt = deal_classes(names, dict.fromkeys(WORLDS, 1 / len(WORLDS)), "fmlbench representation-learning")
    for world in WORLDS:
        parts = read_rich(world, raw) + [images[labels == names.index(name)] for name in dealt[world]]
        numbers = np.repeat(np.arange(len(parts)), [len(part) for part in parts])
        save(root / "pools" / world, images=np.concatenate(parts), labels=numbers)


def read_rich(world, raw):
    """The pictures of each class of the world's rich data set, if it has one."""
    if world not in RICH:
        return []
    images, labels = RICH[world](raw / RICH_FOLDERS[world])
    return [images[labels == label][:RICH_PICTURES] for label in range(RICH_CLASSES)]


def draw(root):
    """Draw one set of pairs and both exams."""
    request = read_request(root)
    settings, world = request.settings, request.world
    rngs = [np.random.default_rng([request.seed, WORLDS.index(world), stream]) for stream in range(4)]
    pools = np.load(root / "pools" / world / "images.npy"), np.load(root / "pools" / world / "labels.npy")
    parts = divide(choose_classes(*pools, world, settings["classes"], rngs[0]), rngs[0])
    scene = Scene(parts["train"], settings, rngs[0])
    keep = request.train_share
    save(root / "out" / "train", **scene.draw_pairs(parts["train"], settings["pairs"], keep, rngs[1]))
    for exam, rng in zip(("validation", "test"), rngs[2:], strict=True):
        vectors, labels, is_probe = scene.draw_exam(parts[exam], settings["probe"], settings["exam"], rng)
        save_exam(root / "out" / exam, {"vectors": vectors}, {"labels": labels, "is_probe": is_probe})


def choose_classes(images, labels, world, wanted, rng):
    """The pictures of each class of a sample: all of the rich data set, the rest drawings; in a random order."""
    rich = RICH_CLASSES if world in RICH else 0
    drawn = rich + rng.permutation(labels.max() + 1 - rich)[: wanted - rich]
    return [images[labels == label] for label in rng.permutation(np.concatenate([np.arange(rich), drawn]))]


def divide(classes, rng):
    """Divide the pictures of each class among training and exams: {part: [pictures of each class]}."""
    cuts = np.cumsum(list(SHARES.values()))[:-1]
    divided = [np.split(rng.permutation(images), (cuts * len(images)).astype(int)) for images in classes]
    return {part: [split[number] for split in divided] for number, part in enumerate(SHARES)}


def take(classes, count):
    """So many pictures in all, equally many of each class, each as often as needed; and their labels."""
    each = count // len(classes)
    rows = [images[np.arange(each) % len(images)] for images in classes]
    return np.concatenate(rows), np.repeat(np.arange(len(classes)), each)


class Scene:
    """What all views of a sample have in common: disturbances and sensor."""

    def __init__(self, classes, settings, rng):
        self.program = draw_program(rng)
        views = render_views(take(classes, SENSOR_VIEWS)[0], self.program, rng)
        self.sensor = make_sensor(views, settings["size"], rng)
        self.crosstalk = make_crosstalk(self.sensor.read(views), rng)

    def see(self, pictures, rng):
        """A new view of each picture, as the sensor reads it."""
        return self.crosstalk.disturb(self.sensor.read(render_views(pictures, self.program, rng)))

    def draw_pairs(self, classes, count, share, rng):
        """Two views of each picture, in a random order; of a share of the pictures, at least two of each class."""
        each = max(2, round(share * count / len(classes)))
        pictures, _ = take(classes, each * len(classes))
        pictures = rng.permutation(pictures)
        return {"first": self.see(pictures, rng), "second": self.see(pictures, rng)}

    def draw_exam(self, classes, probe, exam, rng):
        """Single views of other pictures, their labels, and which of them the probe is fitted to."""
        cuts = [int(PROBE_SHARE * len(images)) for images in classes]
        for_probe = take([images[:cut] for images, cut in zip(classes, cuts, strict=True)], probe)
        for_exam = take([images[cut:] for images, cut in zip(classes, cuts, strict=True)], exam)
        pictures, labels = (np.concatenate(both) for both in zip(for_probe, for_exam, strict=True))
        order = rng.permutation(len(labels))
        is_probe = np.arange(len(labels)) < len(for_probe[1])
        return self.see(pictures[order], rng), labels[order], is_probe[order]


if __name__ == "__main__":
    main(prepare=prepare, sample=draw)
