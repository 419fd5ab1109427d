"""Grade labels domain by domain: the score is the accuracy in the domain where it is lowest.

grade.py ROOT    ROOT/labels/{labels,domains}.npy, ROOT/answers.npy -> ROOT/out/grade.json
"""

import json
import sys
from pathlib import Path

import numpy as np

SEEN_DOMAINS = 2
"""The first so many domains are those of training; all further ones are unseen."""


def grade(answers, labels, domains):
    """Return score, metrics and standard errors; all arrays are [n]."""
    if answers.shape != labels.shape:
        return {"score": 0.0, "refused": f"answers have the shape {list(answers.shape)}, not {list(labels.shape)}"}
    right = answers == labels
    accuracies, errors = zip(*(accuracy(right[domains == one]) for one in np.unique(domains)), strict=True)
    worst = int(np.argmin(accuracies))
    seen, unseen = slice(0, SEEN_DOMAINS), slice(SEEN_DOMAINS, None)
    return {
        "score": accuracies[worst],
        "metrics": {
            "worst_domain_accuracy": accuracies[worst],
            "unseen_domain_accuracy": float(np.mean(accuracies[unseen])),
            "seen_domain_accuracy": float(np.mean(accuracies[seen])),
        },
        "standard_errors": {
            "worst_domain_accuracy": errors[worst],
            "unseen_domain_accuracy": error_of_mean(errors[unseen]),
            "seen_domain_accuracy": error_of_mean(errors[seen]),
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
    """Grade what lies in ``root``."""
    labels, domains = (np.load(root / "labels" / f"{name}.npy", allow_pickle=False) for name in ("labels", "domains"))
    answers = np.load(root / "answers.npy", allow_pickle=False)
    (root / "out" / "grade.json").write_text(json.dumps(grade(answers, labels, domains)), "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
