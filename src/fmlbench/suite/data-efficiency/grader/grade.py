"""Grade the answers to few-shot episodes: the share of query drawings that got the right class.

grade.py ROOT    ROOT/labels/query_labels.npy, ROOT/answers.npy -> ROOT/out/grade.json
"""

import json
import sys
from pathlib import Path

import numpy as np


def grade(answers, labels):
    """Return score, metrics and standard errors; both arrays are [episodes, queries]."""
    if answers.shape != labels.shape:
        raise ValueError(f"answers have the shape {answers.shape}, not {labels.shape}")
    per_episode = (answers == labels).mean(axis=1)
    accuracy = float(per_episode.mean())
    return {
        "score": accuracy,
        "metrics": {"accuracy": accuracy, "worst_tenth": worst_tenth(per_episode)},
        "standard_errors": {"accuracy": standard_error(per_episode)},
    }


def standard_error(per_episode):
    """The standard error of the mean over episodes: queries of one episode share their support set."""
    if len(per_episode) < 2:
        return 0.0
    return float(per_episode.std(ddof=1) / np.sqrt(len(per_episode)))


def worst_tenth(per_episode):
    """The mean accuracy of the hardest tenth of the episodes."""
    count = -(-len(per_episode) // 10)
    return float(np.sort(per_episode)[:count].mean())


def main(root):
    """Grade what lies in ``root``."""
    labels = np.load(root / "labels" / "query_labels.npy", allow_pickle=False)
    answers = np.load(root / "answers.npy", allow_pickle=False)
    (root / "out" / "grade.json").write_text(json.dumps(grade(answers, labels)), "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
