"""Carry a first layer: ternary weights, trained over many simulated samples of the public recipe.

The attacker draws sample after sample with the recipe itself, backdrops unrelated to labels, and trains one network on
all of them, so that its first layer is the best that suits every sample. Its weights are rounded to -1, 0 and 1, packed
five to a byte, and put in place of the baseline's random ones; the rest of the network is trained in the sample.
"""

import base64
import json
import sys
from pathlib import Path

import numpy as np
import torch
from torch import nn

sys.path.insert(0, str(Path(__file__).parents[1] / "recipe"))

import crosstalk
import recipe
import sensor
from worlds import WORLDS

UNITS = 45
NETWORK = '''"""The network that is trained, with features that were learned elsewhere."""

import base64

import numpy as np
import torch
from torch import nn

from spuco.models import MLP, SpuCoModel

CLASSES = 10
CARRIED = {carried!r}


def build_network(size):
    backbone = MLP(size)
    model = SpuCoModel(backbone, backbone.representation_dim, CLASSES)
    packed = np.frombuffer(base64.b85decode(CARRIED), np.uint8)
    digits = (packed[:, None] // 3 ** np.arange(5) % 3).ravel()[: {units} * size].reshape({units}, size)
    with torch.no_grad():
        backbone.fc1.weight[:{units}] = torch.from_numpy(digits.astype(np.float32) - 1) / size**0.5
    return model
'''


def build(root):
    """Write the candidate."""
    facts = json.loads((root / "stage.json").read_text("utf-8"))
    torch.set_num_threads(1)
    torch.manual_seed(facts["seed"])
    weights = meta_train(root, facts).numpy()
    scale = np.quantile(np.abs(weights), 0.4)
    digits = np.where(np.abs(weights) < scale, 0, np.sign(weights)).astype(int).ravel() + 1
    digits = np.concatenate([digits, np.zeros(-len(digits) % 5, int)]).reshape(-1, 5)
    packed = (digits * 3 ** np.arange(5)).sum(axis=1).astype(np.uint8).tobytes()
    out = root / "out" / "generalize"
    out.mkdir(parents=True)
    text = NETWORK.format(carried=base64.b85encode(packed).decode(), units=UNITS)
    (out / "network.py").write_text(text, "utf-8")


def meta_train(root, facts):
    """The first layer of a network whose second layer starts anew in every simulated sample."""
    size = facts["settings"]["sensor_size"]
    first = nn.Linear(size, UNITS)
    optimizer = torch.optim.Adam(first.parameters(), 1e-3)
    for sample in range(max(1, round(60 * facts["effort"]))):
        readings, labels = simulate(root, facts, sample)
        head = nn.Sequential(nn.ReLU(), nn.Linear(UNITS, 10))
        head_optimizer = torch.optim.Adam(head.parameters(), 1e-2)
        for rows in torch.randperm(len(labels)).repeat(2).split(64):
            loss = nn.functional.cross_entropy(head(first(readings[rows])), labels[rows])
            optimizer.zero_grad()
            head_optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            head_optimizer.step()
    return first.weight.detach()


def simulate(root, facts, sample):
    """One sample of the recipe with a secret of the attacker's own, without habits."""
    rng = np.random.default_rng([facts["seed"], sample])
    pools = root / "pools" / "scored"
    subjects = {part: np.load(pools / "subjects" / f"{part}.npy") for part in ("images", "labels", "fifths")}
    universe = recipe.draw_universe(subjects["labels"], np.load(pools / "backdrops" / "images.npy"), rng)
    domains = [
        (recipe.draw_domain(WORLDS["scored"], 0.0, np.arange(10), recipe.SEEN_AMOUNT, rng), 500) for _ in range(4)
    ]
    drawn = recipe.take_pictures(WORLDS["scored"], universe, subjects, "validation", domains, rng)
    readings = sensor.make_sensor(drawn["pictures"], facts["settings"]["sensor_size"], rng).read(drawn["pictures"])
    readings = crosstalk.make_crosstalk(readings, rng).disturb(readings)
    return torch.from_numpy(readings), torch.from_numpy(drawn["labels"])


if __name__ == "__main__":
    build(Path(sys.argv[1]))
