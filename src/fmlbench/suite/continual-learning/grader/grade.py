"""Grade the answers to an exam about all contexts: accuracy in each context, averaged over contexts.

grade.py ROOT    ROOT/labels/labels.npy, ROOT/answers.npy -> ROOT/out/grade.json
"""

import json
import sys
from pathlib import Path

import numpy as np

CLASSES_PER_CONTEXT = 10
"""Classes are numbered in the order in which they were learned."""


def grade(answers, labels):
    """Return score, metrics and standard errors; both arrays are [questions]."""
    if answers.shape != labels.shape:
        raise ValueError(f"answers have the shape {answers.shape}, not {labels.shape}")
    contexts = labels // CLASSES_PER_CONTEXT
    right = [(answers == labels)[contexts == context] for context in np.unique(contexts)]
    accuracies = [float(of_context.mean()) for of_context in right]
    score = float(np.mean(accuracies))
    return {
        "score": score,
        "metrics": {
            "average_accuracy": score,
            "first_context": accuracies[0],
            "last_context": accuracies[-1],
            "worst_context": min(accuracies),
        },
        "standard_errors": {"average_accuracy": standard_error(right)},
    }


def standard_error(right):
    """The standard error of the mean over contexts, from the questions drawn within each."""
    variances = [of_context.var(ddof=1) / len(of_context) if len(of_context) > 1 else 0.0 for of_context in right]
    return float(np.sqrt(np.sum(variances)) / len(right))


def main(root):
    """Grade what lies in ``root``."""
    labels = np.load(root / "labels" / "labels.npy", allow_pickle=False)
    answers = np.load(root / "answers.npy", allow_pickle=False)
    (root / "out" / "grade.json").write_text(json.dumps(grade(answers, labels)), "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
