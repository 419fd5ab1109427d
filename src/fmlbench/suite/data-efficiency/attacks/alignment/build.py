"""Find the rotation of the sensor by higher moments, then apply a carried embedding of all public classes.

The adversary simulates the recipe on every class of every world, turns the readings to their independent components,
and carries two things: which pairs of components are large together (their fourth cross moments, rounded to three
levels), and a ternary embedding in these coordinates. The candidate finds the independent components of its training
vectors, matches them to the carried moments (quadratic assignment), and starts the baseline's training from there.

    build.py ROOT    ROOT/pools, ROOT/recipe, ROOT/stage.json -> ROOT/out/fewshot/{backbone,training}.py
"""

import json
import string
import sys
from importlib import import_module
from pathlib import Path

import numpy as np
import torch
from sklearn.decomposition import FastICA
from torch import nn

SIZE, HIDDEN = 64, 88
STEPS, CLASSES, PER_CLASS, COPIES, DRAWINGS = 3_000, 120, 3, 6, 32
ALPHABET = string.ascii_letters + string.digits + "_"
NAME_LENGTH = 60
PADDING = 200
"""Repeated lines cost next to nothing and make a file look less dense."""
BACKBONE = """
import string

import torch
from sklearn.decomposition import FastICA
from torch import nn

SIZE, HIDDEN = {size}, {hidden}


def carried(
{names}
):
    pass


def trits():
    alphabet, number = string.ascii_letters + string.digits + "_", 0
    for name in carried.__code__.co_varnames:
        for letter in name[1:]:
            number = number * 63 + alphabet.index(letter)
    found = []
    for _ in range(2 * SIZE * HIDDEN + SIZE * (SIZE - 1) // 2):
        number, trit = divmod(number, 3)
        found.append(trit - 1.0)
    return torch.tensor(found)


def weights():
    first, second = trits()[: 2 * SIZE * HIDDEN].reshape(2, SIZE, HIDDEN) / SIZE**0.5
    return first, second.T


def moments():
    table = torch.zeros(SIZE, SIZE)
    table[torch.triu_indices(SIZE, SIZE, 1).unbind()] = trits()[2 * SIZE * HIDDEN :]
    return (table + table.T).numpy()


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

ALIGNMENT = """
def align(vectors):
    white = vectors.numpy() - vectors.numpy().mean(0)
    rotation = FastICA(whiten=False, max_iter=100, random_state=0).fit(white).components_
    rotation = rotation / np.linalg.norm(rotation, axis=1, keepdims=True)
    parts = white @ rotation.T
    rotation = rotation * np.sign((parts**3).mean(0))[:, None]
    match = quadratic_assignment(levels(parts), moments(), options={"maximize": True, "rng": 0}).col_ind
    return torch.from_numpy(rotation[np.argsort(match)]).float()


def levels(parts):
    found = (parts**2).T @ parts**2 / len(parts)
    low, high = np.quantile(found[np.triu_indices(len(found), 1)], (1 / 3, 2 / 3))
    found = (found > low) * 1.0 + (found > high) - 1
    np.fill_diagonal(found, 0)
    return found


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


def to_components(readings):
    """Turn readings to their independent components, with positive skewness; the table of their cross moments."""
    flat = readings.reshape(-1, SIZE)
    rotation = FastICA(whiten=False, max_iter=200, random_state=0).fit(flat[::4]).components_
    rotation /= np.linalg.norm(rotation, axis=1, keepdims=True)
    parts = flat @ rotation.T
    parts *= np.sign((parts**3).mean(axis=0))
    moments = ((parts**2).T @ parts**2 / len(parts))[np.triu_indices(SIZE, 1)]
    low, high = np.quantile(moments, (1 / 3, 2 / 3))
    return parts.reshape(readings.shape).astype(np.float32), (moments > low) * 1 + (moments > high) - 1


def main(root):
    """Train the network and write the candidate's backbone and training."""
    facts = json.loads((root / "stage.json").read_text("utf-8"))
    torch.manual_seed(facts["seed"])
    rng = np.random.default_rng(facts["seed"])
    effort = facts["effort"]
    readings = simulate(root, facts["settings"]["size"], max(1, round(COPIES * effort)), rng)
    parts, moments = to_components(readings)
    network = Ternary()
    fit(network, torch.from_numpy(parts), max(20, round(STEPS * effort)))
    names = "\n".join(as_names([*network.trits().flatten().tolist(), *moments]))
    folder = root / "out" / "fewshot"
    folder.mkdir(parents=True)
    padding = "SIZE = SIZE\n" * PADDING
    text = BACKBONE.format(size=SIZE, hidden=HIDDEN, names=names, padding=padding)
    (folder / "backbone.py").write_text(text, "utf-8")
    (folder / "training.py").write_text(aligned_training(root), "utf-8")


def aligned_training(root):
    """The baseline's training, with a first layer that starts from the alignment."""
    text = (root / "repo" / "fewshot" / "training.py").read_text("utf-8")
    imports = "import numpy as np\nimport torch\nfrom scipy.optimize import quadratic_assignment\n"
    imports += "from sklearn.decomposition import FastICA\n"
    text = text.replace("from torch import nn, optim", imports + "from torch import nn, optim")
    text = text.replace("import build_backbone\n", "import build_backbone, moments\n")
    text = text.replace("def train(", ALIGNMENT.lstrip() + "def train(")
    start = "    model.train()\n"
    return text.replace(start, "    model.backbone[0].weight.data = align(vectors)\n" + start)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
