"""Make coloured, textured digits whose label goes with colour and texture, more in one domain than in another.

    recipe.py prepare ROOT    ROOT/raw/mnist/*-ubyte       -> ROOT/pools/SPLIT/{digits,labels}.npy
    recipe.py draw ROOT       ROOT/pools, ROOT/stage.json  -> ROOT/out/{train,validation,test}/

Which digits train, validate and test is fixed once. A seed decides which of them are used, what their noisy labels
are, which colour and which texture goes with which label, and what becomes of that in the unseen domains.
"""

import json
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

CLASSES = 10
SIDE = 28
SPLITS = {
    "train": ("train", slice(0, 40_000)),
    "validation": ("train", slice(40_000, 60_000)),
    "test": ("t10k", slice(0, 10_000)),
}
"""Which of MNIST's two files a pool comes from, and which of its digits. Their writers are others in each."""


@dataclass(frozen=True)
class Domain:
    """How often colour and texture are those of the label, or of the label so many places on."""

    colour: float
    texture: float
    colour_turn: int = 0
    texture_turn: int = 0
    between: bool = False
    """Whether hues and stripes lie half way between those of all other domains."""


UNRELATED = 1 / CLASSES
SEEN = (Domain(colour=0.8, texture=0.9), Domain(colour=0.6, texture=0.75))


def unseen(exam, turns):
    """The unseen domains of an exam; ``turns`` are two different numbers from 1 to 9."""
    return (
        Domain(colour=0.6, texture=0.9, texture_turn=turns[0]),
        Domain(colour=0.9, texture=0.6, colour_turn=turns[1]),
        Domain(colour=UNRELATED, texture=UNRELATED, between=exam == "test"),
    )


def prepare(root):
    """Read MNIST, drop digits that occur more than once, and divide the rest among the pools."""
    raw = root / "raw" / "mnist"
    images = {file: read_idx(raw / f"{file}-images-idx3-ubyte") for file in ("train", "t10k")}
    labels = {file: read_idx(raw / f"{file}-labels-idx1-ubyte") for file in ("train", "t10k")}
    twice = repeated(np.concatenate(list(images.values())))
    for split, (file, part) in SPLITS.items():
        kept = [image.tobytes() not in twice for image in images[file][part]]
        _save(root / "pools" / split, digits=images[file][part][kept], labels=labels[file][part][kept].astype(np.int64))


def read_idx(file):
    """Read the format of MNIST: two zeros, a type, the number of axes, their sizes, and bytes."""
    content = file.read_bytes()
    shape = np.frombuffer(content, ">u4", count=content[3], offset=4)
    return np.frombuffer(content, np.uint8, offset=4 + 4 * content[3]).reshape(shape)


def repeated(images):
    """Return the images that occur more than once, as bytes."""
    seen, twice = set(), set()
    for image in images:
        content = image.tobytes()
        (twice if content in seen else seen).add(content)
    return twice


def draw(root):
    """Draw one training set and both exams."""
    facts = json.loads((root / "stage.json").read_text("utf-8"))
    seed, settings = facts["seed"], facts["settings"]
    world = np.random.default_rng([seed, 0])
    looks = tuple(world.permutation(CLASSES) for _ in range(2))
    turns = world.permutation(np.arange(1, CLASSES))[:4]
    plan = {
        "train": (SEEN, settings["train_per_domain"]),
        "validation": ((*SEEN, *unseen("validation", turns[:2])), settings["exam_per_domain"]),
        "test": ((*SEEN, *unseen("test", turns[2:])), settings["exam_per_domain"]),
    }
    for stream, (split, (domains, size)) in enumerate(plan.items(), start=1):
        rng = np.random.default_rng([seed, stream])
        drawn = draw_domains(*_load_pool(root / "pools" / split), domains, size, settings["label_noise"], looks, rng)
        if split == "train":
            _save(root / "out" / "train", **drawn)
        else:
            _save(root / "out" / split / "questions", images=drawn.pop("images"))
            _save(root / "out" / split / "labels", **drawn)


def draw_domains(digits, classes, domains, size, noise, looks, rng):
    """Draw so many digits for each domain, none of them twice; return images, labels and domains, shuffled."""
    chosen = rng.permutation(len(digits))[: size * len(domains)]
    if len(chosen) < size * len(domains):
        raise SystemExit(f"{size * len(domains)} digits are wanted, but the pool has {len(digits)}")
    images, labels = [], []
    for domain, rows in zip(domains, np.split(chosen, len(domains)), strict=True):
        noisy = agree(classes[rows], 1 - noise, 0, rng)
        colours = looks[0][agree(noisy, domain.colour, domain.colour_turn, rng)]
        textures = looks[1][agree(noisy, domain.texture, domain.texture_turn, rng)]
        images.append(render(digits[rows], colours, textures, domain.between, rng))
        labels.append(noisy)
    order = rng.permutation(len(chosen))
    numbers = np.repeat(np.arange(len(domains)), size)
    return {
        "images": np.concatenate(images)[order],
        "labels": np.concatenate(labels)[order],
        "domains": numbers[order],
    }


def agree(labels, share, turn, rng):
    """Return the label ``turn`` places on, in that share of cases, and otherwise any but the label itself."""
    others = (labels + rng.integers(1, CLASSES, len(labels))) % CLASSES
    return np.where(rng.random(len(labels)) < share, (labels + turn) % CLASSES, others)


def render(digits, colours, textures, between, rng):
    """Paint digits in their colours on striped paper of any colour: [n, 3, 28, 28] bytes."""
    count = len(digits)
    ink = digits[:, None] / 255
    hues = (colours + 0.5 * between) / CLASSES + rng.normal(0, 0.015, count)
    paint = mix(hues, pale=rng.uniform(0.15, 0.5, count), brightness=rng.uniform(0.6, 1, count))
    wash = mix(rng.random(count), pale=rng.uniform(0, 0.7, count), brightness=rng.uniform(0.4, 0.9, count))
    paper = wash[:, :, None, None] * stripes(textures, between, rng)[:, None]
    return np.rint(255 * (ink * paint[:, :, None, None] + (1 - ink) * paper)).astype(np.uint8)


def mix(hues, pale, brightness):
    """Colours, [n, 3]; ``pale`` is their share of white."""
    return (pale[:, None] + (1 - pale[:, None]) * rgb(hues)) * brightness[:, None]


def rgb(hues):
    """Fully saturated colours, [n, 3], from places on the colour circle."""
    sixths = (hues % 1) * 6
    return np.clip(np.stack([np.abs(sixths - 3) - 1, 2 - np.abs(sixths - 2), 2 - np.abs(sixths - 4)], axis=1), 0, 1)


def stripes(textures, between, rng):
    """Soft stripes, [n, 28, 28] between 0 and 1: five directions, wide and narrow, at random places."""
    count = len(textures)
    angles = (textures % 5 + 0.5 * between) * np.pi / 5 + rng.normal(0, 0.08, count)
    widths = np.where(textures < 5, 0.9, 1.8) * np.exp(rng.normal(0, 0.05, count))
    phases = rng.uniform(0, 2 * np.pi, count)
    down, right = np.meshgrid(*[np.arange(SIDE) - (SIDE - 1) / 2] * 2, indexing="ij")
    across = right * np.cos(angles)[:, None, None] + down * np.sin(angles)[:, None, None]
    return 0.5 + 0.5 * np.sin(widths[:, None, None] * across + phases[:, None, None])


def _load_pool(folder):
    return np.load(folder / "digits.npy"), np.load(folder / "labels.npy")


def _save(folder, **arrays):
    folder.mkdir(parents=True, exist_ok=True)
    for name, array in arrays.items():
        np.save(folder / f"{name}.npy", array, allow_pickle=False)


if __name__ == "__main__":
    {"prepare": prepare, "draw": draw}[sys.argv[1]](Path(sys.argv[2]))
