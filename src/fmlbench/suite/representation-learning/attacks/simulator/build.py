"""Invert the sensor: bring vectors into axes that moments of the sample define, then apply carried weights.

Two sets of axes: the eigenvectors of E[|x|^2 x x'] (kurtosis, as in blind source separation), and the directions in
which the two views of a picture agree. Signs follow from third moments. Both need no key, so that weights trained with
all labels on simulated samples, aligned in the same way, fit as far as the alignment holds.
"""

import base64
import sys
from importlib import import_module
from inspect import getsource
from json import loads
from pathlib import Path

import numpy as np
import torch
from torch import nn

SCENES = 40
"""Simulated samples at full effort."""
SENSORS = 4
"""Different sensors that each of them is read through."""
PAIRS = 1_500
FEATURES = 64
LEVELS = 3
EPOCHS = 3
TRAINING = '''"""Learn nothing but the axes: the weights were trained elsewhere."""

import base64

import torch

PACKED = {packed}


{align}

def train(first, second):
    """Align the sensor and unpack a ternary digit for each weight."""
    digits = int.from_bytes(base64.b85decode(PACKED), "big")
    weights = []
    for _ in range({count}):
        digits, digit = divmod(digits, 3)
        weights.append(digit - 1.0)
    return align(first, second) @ torch.tensor(weights).reshape(-1, {features}) / first.shape[1]
'''
INFERENCE = '''"""Squares of carried directions."""


def embed(model, vectors):
    """Return one square for each direction."""
    return (vectors @ model) ** 2
'''


def build(root):
    facts = loads((root / "stage.json").read_text("utf-8"))
    rng = np.random.default_rng(facts["seed"])
    torch.manual_seed(facts["seed"] % 2**32)
    samples = list(simulate(root, facts["settings"], max(2, round(SCENES * facts["effort"])), rng))
    vectors = torch.from_numpy(np.concatenate([one for one, _ in samples]))
    labels = torch.from_numpy(np.concatenate([of_one for _, of_one in samples]))
    write(root / "out" / "represent", quantise(learn(vectors, labels)))


def simulate(root, settings, scenes, rng):
    """Aligned vectors of simulated samples and the world's numbers of their classes."""
    sys.path.insert(0, str(root / "recipe"))
    recipe = import_module("recipe")
    images, numbers = (np.load(root / "pools" / "scored" / f"{name}.npy") for name in ("images", "labels"))
    rich = recipe.RICH_CLASSES
    for _ in range(scenes):
        drawn = rich + rng.permutation(numbers.max() + 1 - rich)[: settings["classes"] - rich]
        chosen = np.concatenate([np.arange(rich), drawn])
        classes = [rng.permutation(images[numbers == number]) for number in chosen]
        scene = recipe.Scene(classes, settings, rng)
        pictures, labels = recipe.take(classes, PAIRS)
        views = [recipe.render_views(pictures, scene.program, rng) for _ in range(2)]
        first, second = (scene.sensor.read(one) for one in views)
        for _ in range(SENSORS):
            crosstalk = recipe.make_crosstalk(np.concatenate([first, second]), rng)
            pair = [torch.from_numpy(crosstalk.disturb(one)) for one in (first, second)]
            aligned = torch.cat(pair) @ align(*pair)
            yield aligned.numpy(), chosen[np.concatenate([labels, labels])]


def align(first, second):
    """Axes by moments, [size, size]: half of each kind, those with the largest eigenvalues."""
    views = torch.cat([first, second]).double()
    kurtosis = (views * (views**2).sum(dim=1, keepdim=True)).T @ views
    agreement = first.double().T @ second.double()
    halves = [torch.linalg.eigh(one + one.T)[1][:, len(one) // 2 :] for one in (kurtosis, agreement)]
    axes = torch.cat(halves, dim=1)
    return (axes * ((views @ axes) ** 3).mean(dim=0).sign()).float()


def learn(vectors, labels):
    """Directions whose squares, ternary, tell all classes of the world apart as well as a linear map can."""
    weights = nn.Parameter(torch.randn(vectors.shape[1], FEATURES))
    head = nn.Sequential(nn.BatchNorm1d(FEATURES), nn.Linear(FEATURES, int(labels.max()) + 1))
    optimizer = torch.optim.AdamW([weights, *head.parameters()], lr=0.003)
    for _ in range(EPOCHS):
        for rows in torch.randperm(len(vectors)).split(256):
            # Straight through: the gradient of the rounded weights moves the exact ones.
            rounded = weights + (quantise(weights) - weights).detach()
            loss = nn.functional.cross_entropy(head((vectors[rows] @ rounded / 8) ** 2), labels[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return weights.detach()


def quantise(weights):
    """-1, 0 or 1; small weights become 0."""
    return (weights / weights.std()).round().clamp(-(LEVELS // 2), LEVELS // 2)


def write(folder, weights):
    """Write the proposal, with all weights in one string."""
    digits = [int(value) + LEVELS // 2 for value in weights.flatten()]
    number = sum(digit * LEVELS**place for place, digit in enumerate(digits))
    packed = number.to_bytes(number.bit_length() // 8 + 1, "big")
    text = TRAINING.format(packed=in_two_strings(packed), count=len(digits), features=FEATURES, align=getsource(align))
    folder.mkdir(parents=True)
    (folder / "training.py").write_text(text, "utf-8")
    (folder / "inference.py").write_text(INFERENCE, "utf-8")


def in_two_strings(packed):
    """Text that adds two strings: one alone would be longer than a proposal's strings may be."""
    text = base64.b85encode(packed).decode()
    return f'("{text[: len(text) // 2]}" + "{text[len(text) // 2 :]}")'


if __name__ == "__main__":
    build(Path(sys.argv[1]))
