"""Grade labels domain by domain: the score is the mean accuracy over unseen domains, or over seen ones if lower.

grade.py ROOT    ROOT/labels/{labels,domains}.npy, ROOT/answers.npy -> ROOT/out/grade.json
"""

import json
import sys
from pathlib import Path

import numpy as np

SEEN_DOMAINS = 10
"""The first so many domains are those of training; all further ones are unseen."""


def grade(answers, labels, domains):
    """Return score, metrics and standard errors; all arrays are [n]. An answer that is no label is wrong."""
    if answers.shape != labels.shape:
        return {"score": 0.0, "refused": f"answers have the shape {list(answers.shape)}, not {list(labels.shape)}"}
    right = answers == labels
    accuracies, errors = zip(*(accuracy(right[domains == one]) for one in np.unique(domains)), strict=True)
    seen, unseen = slice(0, SEEN_DOMAINS), slice(SEEN_DOMAINS, None)
    means = {"seen": float(np.mean(accuracies[seen])), "unseen": float(np.mean(accuracies[unseen]))}
    mean_errors = {"seen": error_of_mean(errors[seen]), "unseen": error_of_mean(errors[unseen])}
    lower = min(means, key=means.__getitem__)
    return {
        "score": means[lower],
        "metrics": {
            "accuracy": means[lower],
            "unseen_domain_accuracy": means["unseen"],
            "seen_domain_accuracy": means["seen"],
        },
        "standard_errors": {
            "accuracy": mean_errors[lower],
            "unseen_domain_accuracy": mean_errors["unseen"],
            "seen_domain_accuracy": mean_errors["seen"],
        },
    }


def accuracy(right):
    """The share of right answers, and its binomial standard error."""
    share = float(right.mean())
    return share, float(np.sqrt(share * (1 - share) / len(right)))


def error_of_mean(errors):
    """The standard error of a mean of independent figures."""
    return float(np.sqrt(np.sum(np.square(errors))) / len(errors))


def main(root):
    """Grade the answers in ``root``."""
    labels, domains = (np.load(root / "labels" / f"{name}.npy", allow_pickle=False) for name in ("labels", "domains"))
    answers = np.load(root / "answers.npy", allow_pickle=False)
    (root / "out" / "grade.json").write_text(json.dumps(grade(answers, labels, domains)), "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
