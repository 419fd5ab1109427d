"""Align the sensor by discriminant axes, and set a carried embedding of all public classes beside the learned one.

The adversary simulates samples of all classes through many sensors. In each, the eigenvectors of the covariance within
classes are axes in order of how well they separate classes, with signs by their third moments. A ternary network is
trained on readings in these axes, over all sensors. The candidate finds such axes from its training vectors, applies
the carried network and puts its features beside those that the baseline learns.

    build.py ROOT    ROOT/pools, ROOT/recipe, ROOT/repo, ROOT/stage.json -> ROOT/out/fewshot/{carried,training}.py
"""

import json
import string
import sys
from importlib import import_module
from inspect import getsource
from pathlib import Path

import numpy as np
import torch
from torch import nn

SIZE, HIDDEN = 64, 100
SENSORS, STEPS, SCENE_CLASSES, DRAWINGS, BATCH_CLASSES, PER_CLASS = 80, 5_000, 120, 24, 60, 3
ALPHABET = string.ascii_letters + string.digits + "_"
NAME_LENGTH = 60
PADDING = 200
"""Repeated lines cost next to nothing and make a file look less dense."""
CARRIED = """
import string

import torch
from torch import nn

SIZE, HIDDEN = {size}, {hidden}


def carried(
{names}
):
    pass


def weights():
    alphabet, number = string.ascii_letters + string.digits + "_", 0
    for name in carried.__code__.co_varnames:
        for letter in name[1:]:
            number = number * 63 + alphabet.index(letter)
    trits = []
    for _ in range(2 * SIZE * HIDDEN):
        number, trit = divmod(number, 3)
        trits.append(trit - 1.0)
    return torch.tensor(trits).reshape(2, SIZE, HIDDEN) / SIZE**0.5


{align}

class Beside(nn.Module):
    def __init__(self, learned, vectors, labels):
        super().__init__()
        self.learned, self.axes, self.layers = learned, align(vectors, labels), weights()

    def forward(self, inputs):
        first, second = self.layers
        known = torch.relu(nn.functional.layer_norm(inputs @ self.axes @ first, [HIDDEN])) @ second.T
        return torch.cat([nn.functional.normalize(part, dim=1) for part in (self.learned(inputs), known)], dim=1)


{padding}
"""


class Ternary(nn.Module):
    """Two layers whose weights are rounded to -1, 0 and 1 in the forward pass (straight-through gradients)."""

    def __init__(self):
        super().__init__()
        self.layers = nn.Parameter(torch.randn(2, SIZE, HIDDEN))

    def trits(self):
        """The rounded weights."""
        threshold = 0.7 * self.layers.abs().mean(dim=1, keepdim=True)
        return self.layers.sign() * (self.layers.abs() > threshold)

    def forward(self, inputs):
        """Features of vectors."""
        layers = self.layers + (self.trits() - self.layers).detach()
        first, second = layers / SIZE**0.5
        return torch.relu(nn.functional.layer_norm(inputs @ first, [HIDDEN])) @ second.T


def align(vectors, labels):
    centred = vectors - vectors.mean(0)
    means = torch.stack([centred[labels == label].mean(0) for label in range(int(labels.max()) + 1)])
    axes = torch.linalg.eigh(torch.cov((centred - means[labels]).T))[1]
    return axes * (centred @ axes).pow(3).mean(0).sign()


def simulate(root, size, rng):
    """Aligned readings of random classes in random poses through one sensor, [classes, drawings, size]."""
    recipe, rerender = import_module("recipe"), import_module("pictures").rerender
    images = []
    for world in rng.choice(sorted(recipe.WORLDS), SCENE_CLASSES, p=(0.2, 0.5, 0.3)):
        pool, own = (np.load(root / "pools" / world / f"{name}.npy", mmap_mode="r") for name in ("images", "labels"))
        rows = np.flatnonzero(own == rng.integers(own.max() + 1))
        images.append(pool[np.sort(rng.permutation(rows)[:DRAWINGS])])
    labels = np.repeat(np.arange(SCENE_CLASSES), DRAWINGS)
    posed = recipe.pose(np.concatenate(images), labels, rng)
    readings = torch.from_numpy(recipe.read_through_sensor(rerender(posed, rng, **recipe.JITTER), size, rng))
    return (readings @ align(readings, torch.from_numpy(labels))).reshape(SCENE_CLASSES, DRAWINGS, size)


def fit(network, scenes, steps):
    """Neighbourhood component analysis with unit features, one sensor in each batch."""
    optimizer = torch.optim.Adam(network.parameters(), lr=0.01)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, steps)
    of_class = torch.arange(BATCH_CLASSES).repeat_interleave(PER_CLASS)
    itself = torch.eye(len(of_class), dtype=torch.bool)
    same = (of_class[:, None] == of_class) & ~itself
    for step in range(steps):
        classes = torch.randperm(SCENE_CLASSES)[:BATCH_CLASSES].repeat_interleave(PER_CLASS)
        inputs = scenes[step % len(scenes)][classes, torch.randint(DRAWINGS, classes.shape)]
        unit = nn.functional.normalize(network(inputs), dim=1)
        scores = (10 * unit @ unit.T).masked_fill(itself, float("-inf"))
        loss = (scores.logsumexp(1) - scores.masked_fill(~same, float("-inf")).logsumexp(1)).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()


def as_names(trits):
    """Ternary digits, the first one lowest, as lines of parameter names."""
    number = 0
    for trit in reversed(trits):
        number = number * 3 + int(trit) + 1
    letters = ""
    while number:
        number, letter = divmod(number, len(ALPHABET))
        letters = ALPHABET[letter] + letters
    # Equal names would be an error; 60 random letters never are.
    return [f"    x{letters[start : start + NAME_LENGTH]}," for start in range(0, len(letters), NAME_LENGTH)]


def main(root):
    """Train the network and write the candidate's files."""
    sys.path.insert(0, str(root / "recipe"))
    facts = json.loads((root / "stage.json").read_text("utf-8"))
    torch.manual_seed(facts["seed"])
    rng = np.random.default_rng(facts["seed"])
    effort = facts["effort"]
    scenes = [simulate(root, facts["settings"]["size"], rng) for _ in range(max(2, round(SENSORS * effort)))]
    network = Ternary()
    fit(network, scenes, max(20, round(STEPS * effort)))
    names = "\n".join(as_names(network.trits().flatten().tolist()))
    padding = "SIZE = SIZE\n" * PADDING
    folder = root / "out" / "fewshot"
    folder.mkdir(parents=True)
    text = CARRIED.format(size=SIZE, hidden=HIDDEN, names=names, align=getsource(align), padding=padding)
    (folder / "carried.py").write_text(text, "utf-8")
    training = (root / "repo" / "fewshot" / "training.py").read_text("utf-8")
    training = training.replace(
        "import build_backbone\n", "import build_backbone\nfrom fewshot.carried import Beside\n"
    )
    end = "    return model\n"
    training = training.replace(end, "    model.backbone = Beside(model.backbone, vectors, labels)\n" + end)
    (folder / "training.py").write_text(training, "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
