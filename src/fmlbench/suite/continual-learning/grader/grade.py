"""Grade the answers to an exam about all contexts: accuracy in each context, averaged over contexts."""

import numpy as np
from gradekit import main

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


if __name__ == "__main__":
    main(grade)
