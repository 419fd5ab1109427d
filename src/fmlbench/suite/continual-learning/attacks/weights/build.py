"""Carry features that were trained over many simulated samples, and undo the sensor as far as statistics allow.

The proposal is the baseline on a vector and 60 features of it, relu(W A x). A is found in the first context: the
independent components of largest skewness, in the order of their skewness. If they were the same in every
sample, A would undo the rotation. W has ternary weights, trained here on the public pictures of the scored world with
the known distribution of kinds, renderings and sensors, so that a linear readout of the features is accurate.
"""

import base64
import json
import sys
from importlib import import_module
from pathlib import Path

import numpy as np
import torch

FEATURES = 60
SAMPLES = 24
STEPS = 400
PER_CLASS = 75
"""Examples of each class in a simulated sample."""

LEARNER = '''"""The baseline on vectors and carried features of them."""

import base64

import numpy as np
import torch
from avalanche.training.supervised.deep_slda import StreamingLDA
from torch import nn

CARRIED = {carried!r}
DIGITS = np.frombuffer(base64.b85decode(CARRIED), np.uint8)[:, None] // 3 ** np.arange(5) % 3
WEIGHTS = torch.tensor(DIGITS.reshape(-1, 64) - 1.0, dtype=torch.float32) / 5


{align}

def learn(vectors, labels, state):
    if state is None:
        state = {{"axes": align(vectors).half(), "kept": None}}
    analysis = build(state)
    features = expand(state, vectors)
    for vector, label in zip(features.split(1), labels.split(1), strict=True):
        analysis.fit(vector, label)
    kept = analysis.muK.half(), analysis.cK, analysis.Sigma.half(), analysis.num_updates
    return {{"axes": state["axes"], "kept": kept}}


def expand(state, vectors):
    return torch.cat([vectors, (vectors @ state["axes"].float().T @ WEIGHTS.T).relu()], dim=1)


def build(state):
    size = 64 + len(WEIGHTS)
    analysis = StreamingLDA(
        slda_model=nn.Identity(), criterion=None, input_size=size, num_classes=40, shrinkage_param=1e-3
    )
    if state["kept"]:
        means, analysis.cK, covariance, analysis.num_updates = state["kept"]
        analysis.muK, analysis.Sigma = means.float(), covariance.float()
    return analysis


def predict(state, vectors):
    return build(state).predict(expand(state, vectors)).argmax(dim=1)
'''

ALIGN = """def align(vectors):
    vectors = vectors - vectors.mean(dim=0)
    values, axes = torch.linalg.eigh(torch.cov(vectors.T))
    white = vectors @ axes / values.sqrt()
    turn = torch.eye(white.shape[1])
    for _ in range(60):
        found = (white @ turn.T).square().T @ white / len(white)
        left, _, right = torch.linalg.svd(found)
        turn = left @ right
    skewness = (white @ turn.T).pow(3).mean(dim=0)
    order = skewness.abs().argsort(descending=True)
    return ((turn * skewness.sign()[:, None])[order] / values.sqrt()) @ axes.T

"""


def build(root):
    """Train the features and write the proposal."""
    torch.set_num_threads(1)
    facts = json.loads((root / "stage.json").read_text("utf-8"))
    torch.manual_seed(facts["seed"])
    align = load_align()
    samples = [
        simulate(root, facts["settings"], facts["seed"] + n, align)
        for n in range(max(2, round(SAMPLES * facts["effort"])))
    ]
    weights = train(samples, max(10, round(STEPS * facts["effort"])))
    out = root / "out" / "continual"
    out.mkdir(parents=True)
    (out / "learner.py").write_text(LEARNER.format(carried=pack(weights), align=ALIGN), "utf-8")


def load_align():
    """The very function that the proposal has."""
    names = {"torch": torch}
    exec(ALIGN, names)
    return names["align"]


def load_recipe(root):
    """The task's public recipe."""
    sys.path.insert(0, str(root / "recipe"))
    return import_module("recipe")


def simulate(root, settings, seed, align):
    """One sample as the public recipe draws it: vectors, aligned vectors and labels."""
    recipe = load_recipe(root)
    pool = {name: np.load(root / "pools" / "scored" / f"{name}.npy") for name in ("pictures", "kinds", "parts")}
    rng = np.random.default_rng(seed)
    kinds, poses = recipe.choose(pool, rng)
    pictures, labels = recipe.render(pool, kinds, poses, 0, PER_CLASS, rng)
    read = recipe.make_reader(pictures, settings["sensor_size"], rng)
    # The proposal aligns by its first context, which has more examples of fewer classes.
    ten = recipe.CLASSES_PER_CONTEXT
    first, _ = recipe.render(pool, kinds[:ten], poses[:ten], 0, settings["train_per_class"], rng)
    vectors = torch.from_numpy(read(pictures))
    axes = align(torch.from_numpy(read(first)))
    return vectors, vectors @ axes.T, torch.from_numpy(labels)


def train(samples, steps):
    """Descend on the error of a ridge readout that is fitted to one half of a sample and tested on the other."""
    weights = torch.randn(FEATURES, samples[0][0].shape[1], requires_grad=True)
    optimizer = torch.optim.Adam([weights], 0.02)
    for step in range(steps):
        vectors, aligned, labels = samples[step % len(samples)]
        features = torch.cat([vectors, (aligned @ ternary(weights).T).relu(), torch.ones(len(vectors), 1)], dim=1)
        # Pictures of a class are in random order, so even and odd rows are two random halves.
        fitted, tested = features[::2], features[1::2]
        targets = torch.nn.functional.one_hot(labels[::2]).float()
        readout = torch.linalg.solve(fitted.T @ fitted + 5 * torch.eye(fitted.shape[1]), fitted.T @ targets)
        loss = torch.nn.functional.cross_entropy(10 * tested @ readout, labels[1::2])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return weights.detach()


def ternary(weights):
    """Weights of -1, 0 and 1, divided by five, with the gradient of the weights themselves."""
    rounded = (weights / weights.abs().mean()).round().clamp(-1, 1) / 5
    return weights + (rounded - weights).detach()


def pack(weights):
    """Five weights a byte, as text."""
    digits = (torch.round(5 * ternary(weights)).int() + 1).numpy().reshape(-1, 5)
    return base64.b85encode((digits * 3 ** np.arange(5)).sum(axis=1).astype(np.uint8).tobytes())


if __name__ == "__main__":
    build(Path(sys.argv[1]))
