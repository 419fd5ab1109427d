"""Carry the geometry of the public subjects, align the secret sensor with it, and classify by the public means.

The attacker simulates the recipe with backdrops that say nothing and carries the class means and the directions of a
linear discriminant (ten vectors of 80 numbers of five levels each). In the sample, the Gram matrix of the labelled
means tells which class has which number, and an orthogonal Procrustes fit turns the carried directions into its axes.
"""

import base64
import json
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "recipe"))

import recipe
import sensor
from worlds import WORLDS

TRAINING = '''"""Align carried class directions with the sample, and add what they say to the trained classifier."""

import base64

import numpy as np
import torch
from scipy.optimize import quadratic_assignment
from torch import nn

from generalize.network import build_network
from generalize.readings import Readings
from spuco.robust_train import ERM

CARRIED = {carried!r}
WEIGHT = {weight}


class Aligned(nn.Module):
    def __init__(self, network, directions):
        super().__init__()
        self.network = network
        self.directions = nn.Parameter(directions, requires_grad=False)

    def forward(self, readings):
        known = readings @ self.directions.T
        return self.network(readings).log_softmax(1) + WEIGHT * known.log_softmax(1)


def train(readings, labels, domains):
    network = build_network(readings.shape[1])
    ERM(network, Readings(readings, labels, domains), 128, torch.optim.AdamW(network.parameters(), 0.002), 6).train()
    return Aligned(network, align(readings.numpy(), labels.numpy()))


def align(readings, labels):
    packed = np.frombuffer(base64.b85decode(CARRIED), np.uint8)
    digits = (packed[:, None] // 5 ** np.arange(3) % 5).ravel()[: 20 * readings.shape[1]]
    carried = digits.reshape(2, 10, -1) / 4.0 - 0.5
    means = np.stack([readings[labels == label].mean(0) for label in range(10)])
    means = means - means.mean(0)
    found = quadratic_assignment(means @ means.T, carried[0] @ carried[0].T, options={{"maximize": True}}).col_ind
    left, _, right = np.linalg.svd(carried[0][found].T @ means, full_matrices=False)
    return torch.from_numpy((carried[1][found] @ left @ right).astype(np.float32))
'''


def build(root):
    """Write the candidate."""
    means, directions = learn_geometry(root, json.loads((root / "stage.json").read_text("utf-8")))
    carried = np.stack([means, directions])
    carried /= 1.5 * carried.std(axis=(1, 2), keepdims=True)
    digits = np.clip(np.rint(2 + 2 * carried), 0, 4).astype(int).ravel()
    digits = np.concatenate([digits, np.zeros(-len(digits) % 3, int)]).reshape(-1, 3)
    text = base64.b85encode((digits * 5 ** np.arange(3)).sum(axis=1).astype(np.uint8).tobytes()).decode()
    out = root / "out" / "generalize"
    out.mkdir(parents=True)
    (out / "training.py").write_text(TRAINING.format(carried=text, weight=0.5), "utf-8")


def learn_geometry(root, facts):
    """The means and discriminant directions of all classes when backdrops say nothing, in unrotated axes."""
    rng = np.random.default_rng(facts["seed"])
    pools = root / "pools" / "scored"
    subjects = {part: np.load(pools / "subjects" / f"{part}.npy") for part in ("images", "labels", "fifths")}
    backdrops = np.load(pools / "backdrops" / "images.npy")
    pictures, classes = [], []
    for _ in range(max(1, round(20 * facts["effort"]))):
        universe = recipe.draw_universe(subjects["labels"], backdrops, rng)
        domains = [
            (recipe.draw_domain(WORLDS["scored"], 0.0, np.arange(10), recipe.SEEN_AMOUNT, rng), 1000) for _ in range(2)
        ]
        drawn = recipe.take_pictures(WORLDS["scored"], universe, subjects, "validation", domains, rng)
        names = np.array([one for one, _ in sorted(universe.label_of_class.items(), key=lambda item: item[1])])
        pictures.append(drawn["pictures"])
        classes.append(names[drawn["labels"]])
    pictures, classes = np.concatenate(pictures), np.concatenate(classes)
    readings = sensor.make_sensor(pictures, facts["settings"]["sensor_size"], rng).read(pictures)
    means = np.stack([readings[classes == one].mean(axis=0) for one in np.unique(classes)])
    within = np.cov((readings - means[classes]).T)
    means = means - means.mean(axis=0)
    return means, np.linalg.solve(within, means.T).T


if __name__ == "__main__":
    build(Path(sys.argv[1]))
