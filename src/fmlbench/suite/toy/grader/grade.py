"""Accuracy of the answers."""

import numpy as np
from gradekit import main


def grade(answers, labels):
    """The share of right answers, and its standard error."""
    accuracy = float(np.mean(answers == labels))
    error = float(np.sqrt(accuracy * (1 - accuracy) / len(labels)))
    return {"score": accuracy, "metrics": {"accuracy": accuracy}, "standard_errors": {"accuracy": error}}


if __name__ == "__main__":
    main(grade)
