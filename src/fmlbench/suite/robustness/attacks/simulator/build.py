"""Train a detector of mislabelled and triggered examples on simulated samples, and carry its weights.

The public recipe can be run with other secrets. What does not change under a rotation (norms, distances to label
means, labels and distances of neighbours, agreement with other contributors) is the same function of poison in every
sample, so a small network that was trained on simulated samples, where the poison is known, fits the secret one too.
"""

import base64
import json
import sys
from pathlib import Path

import numpy as np
import torch

sys.path.insert(0, str(Path(sys.argv[1]) / "repo"))
sys.path.insert(0, str(Path(sys.argv[1]) / "recipe"))

import recipe

HIDDEN = 8
FEATURES = '''"""What a rotation of the vectors does not change, for each training example."""

import base64

import numpy as np

from robust.filtering import predict_from_others


def describe(vectors, labels, sources):
    """[n, 13] numbers of zero mean and unit variance."""
    rows, classes = np.arange(len(labels)), np.eye(labels.max() + 1)
    means = np.stack([vectors[labels == label].mean(axis=0) for label in range(labels.max() + 1)])
    to_means = np.sqrt(compare(vectors, means))
    discriminant = np.linalg.solve(np.cov(vectors - means[labels], rowvar=False), means.T)
    scores = vectors @ discriminant - (means * discriminant.T).sum(axis=1) / 2
    distances = np.sqrt(compare(vectors, vectors))
    np.fill_diagonal(distances, np.inf)
    nearest = np.argsort(distances, axis=1)[:, :40]
    alike = labels[nearest] == labels[:, None]
    gaps = np.take_along_axis(distances, nearest, axis=1)
    same = np.partition(np.where(labels[:, None] == labels, distances, np.inf), 3, axis=1)[:, :3]
    votes = classes[labels[nearest]].sum(axis=1)
    columns = [np.linalg.norm(vectors, axis=1), to_means[rows, labels], gaps[:, 0], gaps[:, :10].mean(axis=1)]
    columns += [margin(values, labels) for values in (-to_means, scores, votes)]
    columns += [alike[:, :count].mean(axis=1) for count in (5, 20, 40)]
    others = predict_from_others(vectors, classes[labels], sources)
    agree = others.argmax(axis=1) == labels
    shares = {number: agree[sources == number].mean() for number in np.unique(sources)}
    columns += [same.mean(axis=1), margin(others, labels), np.array([shares[number] for number in sources])]
    columns = np.stack(columns, axis=1)
    return (columns - columns.mean(axis=0)) / columns.std(axis=0)


def margin(values, labels):
    """How far the value of the told label is above the best of the others."""
    rows, others = np.arange(len(labels)), values.copy()
    others[rows, labels] = -np.inf
    return values[rows, labels] - others.max(axis=1)


def compare(first, second):
    """Squared distances."""
    return np.maximum((first**2).sum(axis=1)[:, None] - 2 * first @ second.T + (second**2).sum(axis=1), 0)
'''
TRAINING = '''

def suspect(vectors, labels, sources):
    """Which examples the carried detector takes for poison."""
    first = (np.frombuffer(base64.b85decode(FIRST), np.uint8).reshape(-1, len(SECOND)) - 128.0) / 32
    hidden = np.tanh(describe(vectors, labels, sources) @ first + np.array(FIRST_BIAS))
    return hidden @ np.array(SECOND) + SECOND_BIAS > 0
'''


def main(root):
    """Simulate samples, train the detector and write the candidate."""
    facts = json.loads((root / "stage.json").read_text("utf-8"))
    module = {}
    exec(FEATURES, module)
    samples = [simulate(root, facts["settings"], facts["seed"] + n) for n in range(max(2, round(12 * facts["effort"])))]
    rows = np.concatenate([module["describe"](*seen) for *seen, _ in samples])
    weights = fit(rows, np.concatenate([wrong for *_, wrong in samples]))
    folder = root / "out" / "robust"
    folder.mkdir(parents=True, exist_ok=True)
    weights["FIRST"] = base64.b85encode(
        np.clip(np.rint(weights["FIRST"] * 32 + 128), 0, 255).astype(np.uint8).tobytes()
    )
    numbers = "".join(f"{name} = {shown(value)}\n" for name, value in weights.items())
    (folder / "detector.py").write_text(FEATURES + "\n\n" + numbers + TRAINING, "utf-8")
    baseline = (root / "repo" / "robust" / "training.py").read_text("utf-8")
    filtered = baseline.replace("= trusted(vectors, labels, sources)", "= ~suspect(vectors, labels, sources)")
    imported = filtered.replace("robust.filtering import trusted", "robust.detector import suspect")
    (folder / "training.py").write_text(imported, "utf-8")


def shown(value):
    """A literal."""
    return value if isinstance(value, bytes) else np.round(value, 2).tolist()


def simulate(root, settings, seed):
    """Vectors, told labels and contributors of a simulated training set, and which examples are mislabelled."""
    rng = np.random.default_rng(seed)
    source = recipe.draw_source(root / "pools" / "scored", rng)
    backdoors = recipe.draw_backdoors("scored", source.labels, settings, rng)
    benign = recipe.draw_benign("scored", source.labels, settings, rng)
    plan = recipe.plan_training(backdoors, benign, source.labels, settings, rng)
    pictures = recipe.render(plan, source, "train", [*backdoors, *benign], rng)
    vectors = recipe.fit_sensor(pictures, settings["readings"], rng)(pictures)
    return vectors, plan["answers"], plan["sources"], plan["answers"] != plan["labels"]


def fit(rows, wrong, steps=1500):
    """Train a small network to tell mislabelled examples from others."""
    torch.manual_seed(0)
    network = torch.nn.Sequential(torch.nn.Linear(rows.shape[1], HIDDEN), torch.nn.Tanh(), torch.nn.Linear(HIDDEN, 1))
    optimiser = torch.optim.Adam(network.parameters(), lr=0.01)
    inputs, targets = torch.tensor(rows, dtype=torch.float32), torch.tensor(wrong, dtype=torch.float32)
    for _ in range(steps):
        batch = torch.randint(len(inputs), (1000,))
        loss = torch.nn.functional.binary_cross_entropy_with_logits(network(inputs[batch])[:, 0], targets[batch])
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    with torch.no_grad():
        found = (network(inputs)[:, 0] > 0) == targets.bool()
    print(f"the detector is right about {found.float().mean():.3f} of the simulated examples", flush=True)
    first, second = network[0], network[2]
    arrays = (first.weight.T, first.bias, second.weight[0], second.bias[0])
    names = ("FIRST", "FIRST_BIAS", "SECOND", "SECOND_BIAS")
    return {name: array.detach().numpy() for name, array in zip(names, arrays, strict=True)}


if __name__ == "__main__":
    main(Path(sys.argv[1]))
