"""Carry what is public about every class, and classify by it: no poison of the sample can touch it.

The average over simulated sensors of how the mean pictures of all classes, in all orientations, lie to each other is
reduced to a few coordinates and quantised. The candidate finds the classes whose geometry fits that of its label means,
maps vectors into the public coordinates, and gives each vector the label of the nearest public mean.
"""

import base64
import json
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(sys.argv[1]) / "recipe"))

from recipe import JITTER, fit_sensor, rerender, turn

COORDINATES = 9
LEVELS = 7
PUBLIC = '''"""Public class means in a few coordinates."""

import base64

import numpy as np

BYTES = np.frombuffer(base64.b85decode("{packed}"), np.uint8)
PUBLIC = (np.stack([BYTES // 16, BYTES % 16], axis=1).reshape(-1, {coordinates}) - {levels}.0) * {scales}
GROUP = {group}
'''
TRAINING = '''"""Labels by the nearest of the public class means, which are aligned with the means of this sample."""

import numpy as np

from robust.filtering import trusted
from robust.public import GROUP, PUBLIC


def train(vectors, labels, sources):
    """Return the map into public coordinates and the public mean of each label."""
    rng, kept = np.random.default_rng(0), trusted(vectors, labels, sources)
    vectors, labels = vectors[kept], labels[kept]
    means = np.stack([vectors[labels == label].mean(axis=0) for label in range(labels.max() + 1)])
    means -= means.mean(axis=0)
    gram = means @ means.T
    best = max((climb(gram, rng) for _ in range(20)), key=lambda found: found[0])[1]
    anchors = PUBLIC[best]
    ridge = means.T @ means + 0.1 * np.eye(means.shape[1])
    chart = np.linalg.solve(ridge, means.T @ (anchors - anchors.mean(axis=0)))
    return chart, anchors - anchors.mean(axis=0)


def climb(gram, rng, tries=1500):
    """Assign a public class to every label so that the distances between classes fit, by single changes."""
    chosen = rng.choice(len(PUBLIC), len(gram))
    value = fit(gram, chosen)
    for _ in range(tries):
        other = chosen.copy()
        other[rng.integers(len(gram))] = rng.integers(len(PUBLIC))
        found = fit(gram, other)
        if found > value and len(set(other // GROUP)) >= len(set(chosen // GROUP)):
            chosen, value = other, found
    return value, chosen


def fit(gram, chosen):
    """The correlation between the public geometry and that of the sample."""
    anchors = PUBLIC[chosen] - PUBLIC[chosen].mean(axis=0)
    return np.corrcoef((anchors @ anchors.T).ravel(), gram.ravel())[0, 1]
'''
INFERENCE = '''"""Labels by the nearest public mean."""

import numpy as np


def classify(model, vectors):
    """Return the label of the nearest public mean."""
    chart, anchors = model
    return np.linalg.norm((vectors @ chart)[:, None] - anchors, axis=2).argmin(axis=1)
'''


def main(root):
    """Simulate sensors, average the geometry of all classes, quantise it and write the candidate."""
    facts = json.loads((root / "stage.json").read_text("utf-8"))
    rng = np.random.default_rng(facts["seed"])
    classes = ClassPictures(root / "pools" / "scored", rng)
    sensors = max(2, round(8 * facts["effort"]))
    gram = np.mean([classes.geometry(facts["settings"]["readings"]) for _ in range(sensors)], axis=0)
    values, axes = np.linalg.eigh(gram)
    coordinates = (axes * np.sqrt(np.maximum(values, 0)))[:, ::-1][:, :COORDINATES]
    scales = np.abs(coordinates).max(axis=0) / LEVELS
    steps = np.rint(coordinates / scales + LEVELS).astype(np.uint8).reshape(-1, 2)
    packed = base64.b85encode((16 * steps[:, 0] + steps[:, 1]).tobytes()).decode()
    shown = [round(float(scale), 3) for scale in scales]
    folder = root / "out" / "robust"
    folder.mkdir(parents=True, exist_ok=True)
    text = PUBLIC.format(scales=shown, packed=packed, coordinates=COORDINATES, levels=LEVELS, group=classes.ways)
    (folder / "public.py").write_text(text, "utf-8")
    (folder / "training.py").write_text(TRAINING, "utf-8")
    (folder / "inference.py").write_text(INFERENCE, "utf-8")


class ClassPictures:
    """Pictures of all classes in all orientations, seen through random sensors."""

    ways = 8

    def __init__(self, pool, rng):
        images, classes = np.load(pool / "images.npy"), np.load(pool / "classes.npy")
        self._rows = [rng.permutation(np.flatnonzero(classes == one)) for one in np.unique(classes)]
        self._images, self._rng = images, rng

    def geometry(self, readings, per_class=40):
        """Scalar products of the class means that one random sensor shows."""
        chosen = [turn(self._images[rows[:per_class]], way) for rows in self._rows for way in range(self.ways)]
        pictures = rerender(np.concatenate(chosen), self._rng, **JITTER)
        vectors = fit_sensor(pictures, readings, self._rng)(pictures)
        means = vectors.reshape(-1, per_class, readings).mean(axis=1)
        return (means - means.mean(axis=0)) @ (means - means.mean(axis=0)).T


if __name__ == "__main__":
    main(Path(sys.argv[1]))
