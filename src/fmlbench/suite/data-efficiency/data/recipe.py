"""Make class-disjoint pools of Quick, Draw! drawings, and draw training sets and few-shot episodes from them.

    recipe.py prepare ROOT    ROOT/raw/quickdraw/CLASS.ndjson.gz -> ROOT/pools/SPLIT/{images,labels}.npy
    recipe.py draw ROOT       ROOT/pools, ROOT/stage.json        -> ROOT/out/{train,validation,test}/

Which classes train, validate and test is fixed once, by a hash of their names; a seed decides which drawings of the
training classes are visible, which classes meet in an episode, and which drawings they are shown with.
"""

import gzip
import hashlib
import json
import sys
from collections import Counter
from pathlib import Path

import numpy as np

SPLITS = {"train": 125, "validation": 110, "test": 110}
SIDE = 28
MIN_INK = 10.0
"""Drawings with less ink than ten black pixels show nothing (there is one)."""


def prepare(root):
    """Read every class, drop what is blank or drawn twice, and divide the classes among the splits."""
    files = sorted((root / "raw" / "quickdraw").glob("*.ndjson.gz"), key=_rank)
    if len(files) != sum(SPLITS.values()):
        raise SystemExit(f"expected {sum(SPLITS.values())} classes of drawings, found {len(files)}")
    drawings = [read_class(file) for file in files]
    twice = repeated(drawings)
    start = 0
    for split, size in SPLITS.items():
        _write_pool(root / "pools" / split, drawings[start : start + size], twice)
        start += size
    names = [file.name.removesuffix(".ndjson.gz") for file in files]
    (root / "pools" / "classes.json").write_text(json.dumps(names, indent=1), "utf-8")


def _rank(file):
    """Order classes by a hash of their names: as good as random, and the same with any library, for ever."""
    return hashlib.sha256(f"fmlbench data-efficiency: {file.name}".encode()).hexdigest()


def read_class(file):
    """Return the drawings of a class as [n, 28, 28] bytes, black on white turned into 255 on 0."""
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines if line.strip()]
    return np.rint(np.array(rows) * 255).astype(np.uint8).reshape(-1, SIDE, SIDE)


def repeated(drawings):
    """Return the drawings that occur more than once, in whichever class."""
    counts = Counter(image.tobytes() for images in drawings for image in images)
    return {image for image, count in counts.items() if count > 1}


def _write_pool(folder, drawings, twice):
    kept = [images[[_is_usable(image, twice) for image in images]] for images in drawings]
    labels = np.repeat(np.arange(len(kept)), [len(images) for images in kept])
    _save(folder, images=np.concatenate(kept), labels=labels)


def _is_usable(image, twice):
    return image.sum() / 255 >= MIN_INK and image.tobytes() not in twice


def draw(root):
    """Draw one training set and the episodes of both exams."""
    facts = json.loads((root / "stage.json").read_text("utf-8"))
    seed, settings = facts["seed"], facts["settings"]
    visible = draw_visible(
        *_load_pool(root / "pools" / "train"), settings["train_per_class"], np.random.default_rng([seed, 0])
    )
    _save(root / "out" / "train", **visible)
    for stream, exam in enumerate(("validation", "test"), start=1):
        rng = np.random.default_rng([seed, stream])
        questions, labels = draw_episodes(*_load_pool(root / "pools" / exam), settings, rng)
        _save(root / "out" / exam / "questions", **questions)
        _save(root / "out" / exam / "labels", query_labels=labels)


def draw_visible(images, labels, per_class, rng):
    """Choose the same number of drawings from every class, and shuffle them."""
    chosen = [rng.permutation(np.flatnonzero(labels == label))[:per_class] for label in np.unique(labels)]
    order = rng.permutation(np.concatenate(chosen))
    return {"images": images[order], "labels": labels[order]}


def draw_episodes(images, labels, settings, rng):
    """Draw few-shot episodes in rounds: each round uses every class once, with drawings no other round uses.

    Using classes equally often, and no drawing twice, keeps the score quieter than independent episodes would.
    """
    way, shot, queries = settings["way"], settings["shot"], settings["queries"]
    shuffled = [rng.permutation(np.flatnonzero(labels == label)) for label in np.unique(labels)]
    episodes = []
    for turn in range(settings["rounds"]):
        classes = rng.permutation(len(shuffled))
        classes = classes[: len(classes) // way * way].reshape(-1, way)
        drawings = slice(turn * (shot + queries), (turn + 1) * (shot + queries))
        episodes += [_episode([shuffled[c][drawings] for c in group], shot, rng) for group in classes]
    order = rng.permutation(len(episodes))
    support, support_labels, query, query_labels = (np.stack(part)[order] for part in zip(*episodes, strict=True))
    questions = {"support_images": images[support], "support_labels": support_labels, "query_images": images[query]}
    return questions, query_labels


def _episode(drawings, shot, rng):
    """Split each class's drawings into support and query, and shuffle both so that no position tells a class."""
    rows = np.stack(drawings)
    labels = np.broadcast_to(np.arange(len(rows))[:, None], rows.shape)
    support = rng.permutation(rows[:, :shot].size)
    query = rng.permutation(rows[:, shot:].size)
    return (
        rows[:, :shot].ravel()[support],
        labels[:, :shot].ravel()[support],
        rows[:, shot:].ravel()[query],
        labels[:, shot:].ravel()[query],
    )


def _load_pool(folder):
    return np.load(folder / "images.npy"), np.load(folder / "labels.npy")


def _save(folder, **arrays):
    folder.mkdir(parents=True, exist_ok=True)
    for name, array in arrays.items():
        np.save(folder / f"{name}.npy", array, allow_pickle=False)


if __name__ == "__main__":
    {"prepare": prepare, "draw": draw}[sys.argv[1]](Path(sys.argv[2]))
