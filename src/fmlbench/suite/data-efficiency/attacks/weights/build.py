"""Carry an embedding of all public classes as ternary weights, behind an input layer that the step learns.

The adversary simulates the recipe on every class of every world, in many poses, and trains a network of ternary weights
for as long as wanted. The sensor of a sample is unknown, so the first layer is left to the baseline's own training; the
carried layers stand behind it. The weights are written as names of parameters, which no bound on literals counts.

    build.py ROOT    ROOT/pools, ROOT/recipe, ROOT/stage.json -> ROOT/out/fewshot/backbone.py
"""

import json
import string
import sys
from importlib import import_module
from pathlib import Path

import numpy as np
import torch
from torch import nn

SIZE, HIDDEN = 64, 112
STEPS, CLASSES, PER_CLASS, COPIES, DRAWINGS = 3_000, 120, 3, 6, 32
ALPHABET = string.ascii_letters + string.digits + "_"
NAME_LENGTH = 60
PADDING = 200
"""Repeated lines cost next to nothing and make a file look less dense."""
BACKBONE = """
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
    first, second = torch.tensor(trits).reshape(2, SIZE, HIDDEN) / SIZE**0.5
    return first, second.T


class Carried(nn.Module):
    def __init__(self):
        super().__init__()
        first, second = weights()
        self.register_buffer("first", first)
        self.register_buffer("second", second)

    def forward(self, inputs):
        return torch.relu(nn.functional.layer_norm(inputs @ self.first, [HIDDEN])) @ self.second


def build_backbone(size):
    first = nn.Linear(size, SIZE)
    nn.init.orthogonal_(first.weight)
    return nn.Sequential(first, Carried())


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


def simulate(root, size, copies, rng):
    """Readings of every public class in several poses through one sensor, [copies * classes, drawings, size]."""
    sys.path.insert(0, str(root / "recipe"))
    recipe, rerender = import_module("recipe"), import_module("pictures").rerender
    images, labels = [], []
    for world in sorted(recipe.WORLDS):
        pool, own = (np.load(root / "pools" / world / f"{name}.npy") for name in ("images", "labels"))
        for label in np.unique(own):
            for _ in range(copies):
                images.append(pool[rng.permutation(np.flatnonzero(own == label))[:DRAWINGS]])
                labels.append(np.full(DRAWINGS, len(labels)))
    posed = recipe.pose(np.concatenate(images), np.concatenate(labels), rng)
    return recipe.read_through_sensor(rerender(posed, rng, **recipe.JITTER), size, rng).reshape(-1, DRAWINGS, size)


def fit(network, readings, steps):
    """Neighbourhood component analysis with unit features over batches of many classes."""
    optimizer = torch.optim.Adam(network.parameters(), lr=0.01)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, steps)
    of_class = torch.arange(CLASSES).repeat_interleave(PER_CLASS)
    itself = torch.eye(len(of_class), dtype=torch.bool)
    same = (of_class[:, None] == of_class) & ~itself
    for _ in range(steps):
        classes = torch.randperm(len(readings))[:CLASSES].repeat_interleave(PER_CLASS)
        unit = nn.functional.normalize(network(readings[classes, torch.randint(DRAWINGS, classes.shape)]), dim=1)
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
    """Train the network and write the candidate's backbone."""
    facts = json.loads((root / "stage.json").read_text("utf-8"))
    torch.manual_seed(facts["seed"])
    rng = np.random.default_rng(facts["seed"])
    effort = facts["effort"]
    readings = torch.from_numpy(simulate(root, facts["settings"]["size"], max(1, round(COPIES * effort)), rng))
    network = Ternary()
    fit(network, readings, max(20, round(STEPS * effort)))
    names = "\n".join(as_names(network.trits().flatten().tolist()))
    text = BACKBONE.format(size=SIZE, hidden=HIDDEN, names=names, padding="SIZE = SIZE\n" * PADDING)
    target = root / "out" / "fewshot" / "backbone.py"
    target.parent.mkdir(parents=True)
    target.write_text(text, "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
