"""Poison training digits with many backdoors at once, and ask about half of the backdoors in each exam.

    recipe.py prepare ROOT    ROOT/raw/mnist/*-ubyte       -> ROOT/pools/SPLIT/{digits,labels}.npy
    recipe.py draw ROOT       ROOT/pools, ROOT/stage.json  -> ROOT/out/{train,validation,test}/

Which digits train, validate and test is fixed once. A seed decides which of them are used, which families of triggers
there are, what they look like, and to which label each of them is to lead.
"""

import json
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))

import fields
import marks
import warps

CLASSES = 10
KINDS = (marks.SPOTS, marks.LINES, fields.WAVES, fields.SHADE, warps.SHAPE)
INK = slice(4, 24)
"""MNIST's digits lie in the middle of an empty margin, where every trigger would show, and could be painted over."""
PER_KIND = 2
"""So many families of each kind are in an exam: ten triggers, and every label is the target of one."""
SPLITS = {
    "train": ("train", slice(0, 50_000)),
    "validation": ("train", slice(50_000, 60_000)),
    "test": ("t10k", slice(0, 10_000)),
}
"""Which of MNIST's two files a pool comes from, and which of its digits."""


@dataclass(frozen=True)
class Backdoor:
    """Pictures with the trigger are to be taken for the target."""

    family: str
    trigger: object
    target: int


def prepare(root):
    """Read MNIST, cut off the margin, drop digits that occur more than once, and divide the rest among the pools."""
    raw = root / "raw" / "mnist"
    images = {file: read_idx(raw / f"{file}-images-idx3-ubyte")[:, INK, INK] for file in ("train", "t10k")}
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
    """Draw the backdoors, the training set with all of them, and the exams with half of them each."""
    facts = json.loads((root / "stage.json").read_text("utf-8"))
    seed, settings = facts["seed"], facts["settings"]
    backdoors = draw_backdoors(np.random.default_rng([seed, 0]))
    everything = (*backdoors["validation"], *backdoors["test"])
    pool = _load_pool(root / "pools" / "train")
    sizes = settings["train_clean"], settings["train_poisoned"]
    train = draw_pictures(*pool, everything, *sizes, np.random.default_rng([seed, 1]))
    _save(root / "out" / "train", images=train["images"], labels=train["answers"])
    for stream, exam in enumerate(("validation", "test"), start=2):
        pool = _load_pool(root / "pools" / exam)
        sizes = settings["exam_clean"], settings["exam_triggered"]
        asked = draw_pictures(*pool, backdoors[exam], *sizes, np.random.default_rng([seed, stream]))
        targets = np.array([backdoor.target for backdoor in backdoors[exam]])
        _save(root / "out" / exam / "questions", images=asked["images"])
        _save(root / "out" / exam / "labels", labels=asked["labels"], triggers=asked["triggers"], targets=targets)


def draw_backdoors(rng):
    """Draw as many families of every kind for each exam, none for both, and as targets every label once an exam."""
    families = {"validation": [], "test": []}
    for kind in KINDS:
        order = rng.permutation(len(kind))
        families["validation"] += [kind[i] for i in order[:PER_KIND]]
        families["test"] += [kind[i] for i in order[PER_KIND : 2 * PER_KIND]]
    return {
        exam: [
            Backdoor(family.__name__, family(rng), int(target))
            for family, target in zip(chosen, rng.permutation(CLASSES), strict=True)
        ]
        for exam, chosen in families.items()
    }


def draw_pictures(digits, labels, backdoors, clean, triggered, rng):
    """Draw clean digits, and digits of other labels than its target for each backdoor; none of them twice.

    ``labels`` are the digits' own, ``answers`` what training is told: the target where there is a trigger.
    ``triggers`` are the backdoors' numbers, or -1.
    """
    left = rng.permutation(len(digits))
    rows, left = [left[:clean]], left[clean:]
    images, answers = [digits[rows[0]]], [labels[rows[0]]]
    for backdoor in backdoors:
        chosen = left[labels[left] != backdoor.target][:triggered]
        left = left[~np.isin(left, chosen)]
        rows.append(chosen)
        images.append(as_bytes(backdoor.trigger(digits[chosen] / 255)))
        answers.append(np.full(len(chosen), backdoor.target))
    wanted = clean + triggered * len(backdoors)
    order = rng.permutation(sum(len(part) for part in rows))
    if len(order) < wanted:
        raise SystemExit(f"{wanted} digits are wanted, but the pool has {len(digits)}")
    numbers = np.repeat(np.arange(-1, len(backdoors)), [len(part) for part in rows])
    return {
        "images": np.concatenate(images)[order],
        "labels": labels[np.concatenate(rows)][order],
        "answers": np.concatenate(answers)[order],
        "triggers": numbers[order],
    }


def as_bytes(pictures):
    """Numbers between 0 and 1 become bytes, as MNIST has them."""
    return np.rint(255 * np.clip(pictures, 0, 1)).astype(np.uint8)


def _load_pool(folder):
    return np.load(folder / "digits.npy"), np.load(folder / "labels.npy")


def _save(folder, **arrays):
    folder.mkdir(parents=True, exist_ok=True)
    for name, array in arrays.items():
        np.save(folder / f"{name}.npy", array, allow_pickle=False)


if __name__ == "__main__":
    {"prepare": prepare, "draw": draw}[sys.argv[1]](Path(sys.argv[2]))
