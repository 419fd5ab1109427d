"""Grade labels domain by domain: the score is the mean accuracy over unseen domains, or over seen ones if lower."""

import numpy as np
from gradekit import main, refuse

SEEN_DOMAINS = 10
"""The first so many domains are those of training; all further ones are unseen."""


def grade(answers, labels, domains):
    """Return score, metrics and standard errors; all arrays are [n]. An answer that is no label is wrong."""
    if answers.shape != labels.shape:
        return refuse(f"answers have the shape {list(answers.shape)}, not {list(labels.shape)}")
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


if __name__ == "__main__":
    main(grade)
