"""A small research codebase and ways to change it, by which embedders are judged."""

BASE = '''"""Train a linear classifier."""

import numpy as np


def make_features(inputs):
    # Centre, then scale.
    mean = inputs.mean(axis=0)
    scale = inputs.std(axis=0) + 1e-8
    return (inputs - mean) / scale


def initialise(width, classes, rng):
    weights = rng.normal(0.0, 0.01, size=(width, classes))
    bias = np.zeros(classes)
    return weights, bias


def softmax(scores):
    shifted = scores - scores.max(axis=1, keepdims=True)
    powers = np.exp(shifted)
    return powers / powers.sum(axis=1, keepdims=True)


def train(inputs, labels, classes, seed, epochs=50, rate=0.1, batch=32):
    rng = np.random.default_rng(seed)
    features = make_features(inputs)
    weights, bias = initialise(features.shape[1], classes, rng)
    targets = np.eye(classes)[labels]
    for epoch in range(epochs):
        order = rng.permutation(len(features))
        for start in range(0, len(order), batch):
            rows = order[start : start + batch]
            error = softmax(features[rows] @ weights + bias) - targets[rows]
            weights -= rate * features[rows].T @ error / len(rows)
            bias -= rate * error.mean(axis=0)
    return weights, bias


def predict(model, inputs):
    weights, bias = model
    return (make_features(inputs) @ weights + bias).argmax(axis=1)
'''


def _swap(*pairs: tuple[str, str]) -> str:
    program = BASE
    for old, new in pairs:
        assert old in program, old
        program = program.replace(old, new)
    return program


RENAMED = _swap(
    ("weights", "w"), ("bias", "b"), ("features", "phi"), ("make_phi", "make_features"), ("error", "delta"),
    ("rows", "idx"), ("order", "perm"), ("targets", "onehot"), ("shifted", "z"), ("powers", "e"),
)  # fmt: skip
REFORMATTED = _swap(
    ("    return (inputs - mean) / scale", "    return (\n        (inputs - mean)\n        / scale\n    )"),
    ("size=(width, classes))", "size=(\n        width, classes\n    ))"),
    ("# Centre, then scale.", "# First the mean is taken away,\n    # then all is divided by the spread."),
    ('"""Train a linear classifier."""', '"""Train a linear classifier on whatever is given."""'),
)  # fmt: skip

TUNED = (
    _swap(("rate=0.1", "rate=0.3")),
    _swap(("epochs=50", "epochs=80")),
    _swap(("batch=32", "batch=64")),
    _swap(("0.01, size", "0.1, size")),
    _swap(("rate=0.1", "rate=0.05"), ("epochs=50", "epochs=120")),
)
"""Other numbers in the same method."""

MOMENTUM = _swap(
    ("    targets = np.eye", "    velocity = np.zeros_like(weights)\n    targets = np.eye"),
    (
        "weights -= rate * features[rows].T @ error / len(rows)",
        (
            "gradient = features[rows].T @ error / len(rows)\n"
            "            velocity = 0.9 * velocity - rate * gradient\n"
            "            weights += velocity"
        ),
    ),
)
QUADRATIC = _swap(
    (
        "    return (inputs - mean) / scale",
        (
            "    scaled = (inputs - mean) / scale\n"
            "    first, second = np.triu_indices(scaled.shape[1])\n"
            "    products = scaled[:, first] * scaled[:, second]\n"
            "    return np.concatenate([scaled, products], axis=1)"
        ),
    ),
)
RANDOM_FEATURES = _swap(
    (
        "    return (inputs - mean) / scale",
        (
            "    scaled = (inputs - mean) / scale\n"
            "    directions = np.random.default_rng(0).normal(size=(scaled.shape[1], 256))\n"
            "    phases = np.random.default_rng(1).uniform(0, 2 * np.pi, size=256)\n"
            "    return np.cos(scaled @ directions + phases) * np.sqrt(2 / 256)"
        ),
    ),
)
HIDDEN_LAYER = _swap(
    (
        (
            "    weights = rng.normal(0.0, 0.01, size=(width, classes))\n"
            "    bias = np.zeros(classes)\n"
            "    return weights, bias"
        ),
        (
            "    lower = rng.normal(0.0, 0.1, size=(width, 64))\n"
            "    weights = rng.normal(0.0, 0.01, size=(64, classes))\n"
            "    bias = np.zeros(classes)\n"
            "    return lower, weights, bias"
        ),
    ),
    ("weights, bias = initialise", "lower, weights, bias = initialise"),
    (
        (
            "            error = softmax(features[rows] @ weights + bias) - targets[rows]\n"
            "            weights -= rate * features[rows].T @ error / len(rows)"
        ),
        (
            "            hidden = np.maximum(features[rows] @ lower, 0)\n"
            "            error = softmax(hidden @ weights + bias) - targets[rows]\n"
            "            back = (error @ weights.T) * (hidden > 0)\n"
            "            weights -= rate * hidden.T @ error / len(rows)\n"
            "            lower -= rate * features[rows].T @ back / len(rows)"
        ),
    ),
    ("    return weights, bias\n\n\ndef predict", "    return lower, weights, bias\n\n\ndef predict"),
    ("    weights, bias = model", "    lower, weights, bias = model"),
    ("make_features(inputs) @ weights", "np.maximum(make_features(inputs) @ lower, 0) @ weights"),
)
_HEAD = BASE.partition("def initialise")[0]

NEIGHBOURS = (
    _HEAD
    + """def train(inputs, labels, classes, seed, neighbours=7):
    return make_features(inputs), np.asarray(labels), classes, neighbours


def predict(model, inputs):
    known, labels, classes, neighbours = model
    queries = make_features(inputs)
    distances = ((queries[:, None, :] - known[None, :, :]) ** 2).sum(axis=2)
    nearest = np.argpartition(distances, neighbours, axis=1)[:, :neighbours]
    votes = np.stack([(labels[nearest] == label).sum(axis=1) for label in range(classes)], axis=1)
    return votes.argmax(axis=1)
"""
)
CENTROIDS = (
    _HEAD
    + """def train(inputs, labels, classes, seed):
    features = make_features(inputs)
    return np.stack([features[labels == label].mean(axis=0) for label in range(classes)])


def predict(model, inputs):
    offsets = make_features(inputs)[:, None, :] - model[None, :, :]
    return np.linalg.norm(offsets, axis=2).argmin(axis=1)
"""
)
BOOSTED = (
    _HEAD
    + """def fit_stump(features, residual):
    best = (np.inf, 0, 0.0, 0.0, 0.0)
    for column in range(features.shape[1]):
        for threshold in np.quantile(features[:, column], np.linspace(0.1, 0.9, 9)):
            below = features[:, column] <= threshold
            if below.all() or not below.any():
                continue
            left, right = residual[below].mean(), residual[~below].mean()
            loss = ((residual - np.where(below, left, right)) ** 2).sum()
            best = min(best, (loss, column, threshold, left, right))
    return best[1:]


def train(inputs, labels, classes, seed, rounds=40, rate=0.3):
    features = make_features(inputs)
    scores = np.zeros((len(features), classes))
    stumps = []
    for _ in range(rounds):
        for label in range(classes):
            residual = (labels == label) - 1 / (1 + np.exp(-scores[:, label]))
            column, threshold, left, right = fit_stump(features, residual)
            scores[:, label] += rate * np.where(features[:, column] <= threshold, left, right)
            stumps.append((label, column, threshold, rate * left, rate * right))
    return stumps, classes


def predict(model, inputs):
    stumps, classes = model
    features = make_features(inputs)
    scores = np.zeros((len(features), classes))
    for label, column, threshold, left, right in stumps:
        scores[:, label] += np.where(features[:, column] <= threshold, left, right)
    return scores.argmax(axis=1)
"""
)

SMALL_CHANGES = (RENAMED, REFORMATTED)
METHODS = (MOMENTUM, QUADRATIC, RANDOM_FEATURES, HIDDEN_LAYER, NEIGHBOURS, CENTROIDS, BOOSTED)
"""Changes of the method, small ones first."""

RUNS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("nothing changed", (BASE,) * 6),
    ("names and layout only", (RENAMED, BASE, REFORMATTED, RENAMED, BASE, REFORMATTED)),
    ("one number", (TUNED[0], TUNED[1], TUNED[0], TUNED[2], TUNED[0], TUNED[1])),
    ("all numbers", (*TUNED, TUNED[0])),
    ("one method once", (BASE, BASE, BASE, BASE, BASE, MOMENTUM)),
    ("one method and numbers", (TUNED[0], TUNED[1], MOMENTUM, TUNED[2], TUNED[3], MOMENTUM)),
    ("two near methods", (MOMENTUM, QUADRATIC, MOMENTUM, QUADRATIC, MOMENTUM, QUADRATIC)),
    ("three near methods", (MOMENTUM, QUADRATIC, RANDOM_FEATURES, MOMENTUM, QUADRATIC, RANDOM_FEATURES)),
    ("four near methods", (MOMENTUM, QUADRATIC, RANDOM_FEATURES, HIDDEN_LAYER, HIDDEN_LAYER, QUADRATIC)),
    ("one far method", (BASE, NEIGHBOURS, BASE, NEIGHBOURS, BASE, NEIGHBOURS)),
    ("far and near methods", (NEIGHBOURS, MOMENTUM, CENTROIDS, HIDDEN_LAYER, NEIGHBOURS, RANDOM_FEATURES)),
    ("everything", (BOOSTED, NEIGHBOURS, HIDDEN_LAYER, CENTROIDS, BOOSTED, RANDOM_FEATURES)),
)
"""A dozen runs, from the one that explored least to the one that explored most, as people would say."""
