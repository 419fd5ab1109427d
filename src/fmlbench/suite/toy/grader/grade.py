"""Accuracy of the answers."""

import json
import sys
from pathlib import Path

import numpy as np


def grade(answers, labels):
    """The share of right answers, and its standard error."""
    accuracy = float(np.mean(answers == labels))
    error = float(np.sqrt(accuracy * (1 - accuracy) / len(labels)))
    return {"score": accuracy, "metrics": {"accuracy": accuracy}, "standard_errors": {"accuracy": error}}


if __name__ == "__main__":
    root = Path(sys.argv[-1])
    result = grade(
        np.load(root / "answers.npy", allow_pickle=False), np.load(root / "labels" / "labels.npy", allow_pickle=False)
    )
    (root / "out" / "grade.json").write_text(json.dumps(result), "utf-8")
