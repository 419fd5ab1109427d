"""Make pools of mini-ImageNet features from easyfsl's files, and draw few-shot episodes from them.

    recipe.py prepare ROOT    ROOT/raw/mini-imagenet-features/{train,val,test}/*.parquet.gzip -> ROOT/pools/SPLIT/
    recipe.py draw ROOT       ROOT/pools, ROOT/stage.json -> ROOT/out/{train,validation,test}/

A file is what easyfsl's `scripts/predict_embeddings.py` writes: a row for each image, with its `embedding` and its
`class_name`. The splits are mini-ImageNet's own: 64 classes train, 16 validate, 20 test. A seed decides which classes
and images meet in an episode; episodes are independent of each other, as easyfsl's benchmark draws them.
"""

import json
import sys
from pathlib import Path

import numpy as np
from pyarrow import parquet

SPLITS = {"train": ("train", 64), "validation": ("val", 16), "test": ("test", 20)}
"""By pool: the folder it comes from, and how many classes mini-ImageNet has there."""


def prepare(root):
    """Read the features of all splits."""
    for pool, (split, classes) in SPLITS.items():
        features, labels = read_features(the_file_in(root / "raw" / "mini-imagenet-features" / split))
        found = len(np.unique(labels))
        if found != classes:
            raise SystemExit(f"mini-ImageNet's split '{split}' has {classes} classes, the file has {found}")
        save(root / "pools" / pool, features=features, labels=labels)


def the_file_in(folder):
    """The features that were made of one split; one backbone's, so one file."""
    files = sorted(folder.glob("*.parquet.gzip"))
    if len(files) != 1:
        raise SystemExit(f"expected one file of features for the split '{folder.name}', found {len(files)}")
    return files[0]


def read_features(file):
    """Return the embeddings [n, d] and the classes [n], numbered in the order in which they first occur."""
    table = parquet.read_table(file, columns=["embedding", "class_name"])
    embeddings = table.column("embedding").combine_chunks()
    features = embeddings.flatten().to_numpy().astype(np.float32).reshape(len(table), -1)
    if not np.isfinite(features).all():
        raise SystemExit(f"{file.name} has features that are not finite")
    return features, number_classes(table.column("class_name").to_pylist())


def number_classes(names):
    """Number classes as easyfsl's `FeaturesDataset` does."""
    numbers = {name: number for number, name in enumerate(dict.fromkeys(names))}
    return np.array([numbers[name] for name in names], dtype=np.int64)


def draw(root):
    """Shuffle what training sees, and draw the episodes of both exams."""
    facts = json.loads((root / "stage.json").read_text("utf-8"))
    seed, settings = facts["seed"], facts["settings"]
    features, labels = load_pool(root / "pools" / "train")
    order = np.random.default_rng([seed, 0]).permutation(len(labels))
    save(root / "out" / "train", features=features[order], labels=labels[order])
    for stream, exam in enumerate(("validation", "test"), start=1):
        rng = np.random.default_rng([seed, stream])
        questions, labels = draw_episodes(*load_pool(root / "pools" / exam), settings, rng)
        save(root / "out" / exam / "questions", **questions)
        save(root / "out" / exam / "labels", query_labels=labels)


def draw_episodes(features, labels, settings, rng):
    """Draw episodes that know nothing of each other; an image may occur in several."""
    rows_of = [np.flatnonzero(labels == label) for label in np.unique(labels)]
    needed = settings["shot"] + settings["queries"]
    if min(map(len, rows_of)) < needed:
        raise SystemExit(f"an episode takes {needed} images of a class, and there is a class with fewer")
    episodes = [draw_episode(rows_of, settings, rng) for _ in range(settings["episodes"])]
    support, support_labels, query, query_labels = (np.stack(part) for part in zip(*episodes, strict=True))
    questions = {
        "support_features": features[support],
        "support_labels": support_labels,
        "query_features": features[query],
    }
    return questions, query_labels


def draw_episode(rows_of, settings, rng):
    """Rows and labels of support and queries, both shuffled so that no position tells a class."""
    way, shot, queries = settings["way"], settings["shot"], settings["queries"]
    classes = rng.permutation(len(rows_of))[:way]
    rows = np.stack([rng.permutation(rows_of[c])[: shot + queries] for c in classes])
    labels = np.broadcast_to(np.arange(way)[:, None], rows.shape)
    support, query = rng.permutation(way * shot), rng.permutation(way * queries)
    return (
        rows[:, :shot].ravel()[support],
        labels[:, :shot].ravel()[support],
        rows[:, shot:].ravel()[query],
        labels[:, shot:].ravel()[query],
    )


def load_pool(folder):
    """The features and classes of one pool."""
    return np.load(folder / "features.npy"), np.load(folder / "labels.npy")


def save(folder, **arrays):
    """Write arrays by name."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, array in arrays.items():
        np.save(folder / f"{name}.npy", array, allow_pickle=False)


if __name__ == "__main__":
    {"prepare": prepare, "draw": draw}[sys.argv[1]](Path(sys.argv[2]))
