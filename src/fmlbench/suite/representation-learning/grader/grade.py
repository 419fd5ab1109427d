"""Train a linear probe on the features of labelled images; the score is its accuracy on the others.

The probe is ridge regression on standardised features, one output for each class, solved in closed form; how much it
is held back is chosen by leaving out one probe image after the other, which has a closed form too.
"""

import numpy as np
from gradekit import main, refuse

PENALTIES = 10.0 ** np.arange(-4, 2)
"""What is tried, times the number of probe images."""
SMALLEST_SPREAD = 1e-9
"""Columns that vary less than this share of their size say nothing but rounding errors."""


def grade(answers, labels, is_probe):
    """Return score, metrics and standard errors; answers are [n, features], the rest is [n]."""
    problem = find_problem(answers, labels)
    if problem:
        return refuse(problem)
    features = standardise(answers.astype(np.float64), is_probe)
    probe = Probe(features[is_probe], labels[is_probe])
    right = probe.classify(features[~is_probe]) == labels[~is_probe]
    accuracy = float(right.mean())
    return {
        "score": accuracy,
        "metrics": {"linear_probe_accuracy": accuracy, "probe_left_out_accuracy": probe.left_out_accuracy},
        "standard_errors": {"linear_probe_accuracy": float(np.sqrt(accuracy * (1 - accuracy) / len(right)))},
    }


def find_problem(answers, labels):
    """Why these answers cannot be graded, or nothing."""
    if answers.ndim != 2 or len(answers) != len(labels):
        return f"features have the shape {list(answers.shape)}, not [{len(labels)}, features]"
    if answers.shape[1] == 0:
        return "there are no features"
    return "" if np.isfinite(answers).all() else "features are not finite numbers"


def standardise(features, is_probe):
    """Give each feature mean 0 and standard deviation 1 over the probe's images; constant ones become 0."""
    mean, spread = features[is_probe].mean(axis=0), features[is_probe].std(axis=0)
    varies = spread > SMALLEST_SPREAD * np.abs(features[is_probe]).max(axis=0)
    return np.where(varies, features - mean, 0.0) / np.where(varies, spread, 1.0)


class Probe:
    """Ridge regression of the class on centred features."""

    def __init__(self, features, labels):
        self.classes, numbers = np.unique(labels, return_inverse=True)
        targets = np.eye(len(self.classes))[numbers]
        self.shares = targets.mean(axis=0)
        left, sizes, right = np.linalg.svd(features, full_matrices=False)
        turned = left.T @ (targets - self.shares)
        tried = [left_out_accuracy(left, sizes, turned, targets, len(labels) * penalty) for penalty in PENALTIES]
        best = int(np.argmax(tried))
        self.left_out_accuracy = float(tried[best])
        self.weights = right.T @ (turned * (sizes / (sizes**2 + len(labels) * PENALTIES[best]))[:, None])

    def classify(self, features):
        """The class with the largest output for each row."""
        return self.classes[np.argmax(features @ self.weights + self.shares, axis=1)]


def left_out_accuracy(left, sizes, turned, targets, penalty):
    """The accuracy on each row of a ridge regression fitted to all other rows.

    The residual of a row that was left out is its ordinary residual over 1 minus its leverage.
    """
    shrunk = sizes**2 / (sizes**2 + penalty)
    leverage = np.square(left) @ shrunk + 1 / len(left)
    residuals = targets - targets.mean(axis=0) - left @ (turned * shrunk[:, None])
    left_out = targets - residuals / np.maximum(1 - leverage, 1e-9)[:, None]
    return np.mean(np.argmax(left_out, axis=1) == np.argmax(targets, axis=1))


if __name__ == "__main__":
    main(grade)
