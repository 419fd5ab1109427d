"""Grade yes-or-no answers: how far false and true positive rates lie apart between groups, and how many are right.

    grade.py ROOT    ROOT/labels/{labels,groups,sources}.npy, ROOT/answers.npy -> ROOT/out/grade.json

Every question was answered by several models, trained on different rows. Each of them is judged by itself, and the
figures are averaged: two models that err in opposite directions are unfair twice, not fair on average.
"""

import json
import sys
from pathlib import Path

import numpy as np

SOURCES = ("compas", "adult")
MOST_ERROR = 0.0025
"""Standard errors give a rule its grace; whoever trains erratically shall not have more of it."""


def grade(answers, labels, groups, sources):
    """Return score, metrics and standard errors; answers are [questions, models], the others [questions]."""
    if answers.ndim != 2 or len(answers) != len(labels):
        raise ValueError(f"answers have the shape {answers.shape}, not ({len(labels)}, models)")
    metrics, errors = {}, {}
    unfairness, averages = [], []
    for number, source in enumerate(SOURCES):
        asked = sources == number
        gaps = [rate_gaps(one[asked], labels[asked], groups[asked]) for one in answers.T]
        right = (answers[asked] == labels[asked, None]).mean(axis=0)
        unfairness.append([(abs(false) + abs(true)) / 2 for false, true in gaps])
        averages.append([abs(false + true) / 2 for false, true in gaps])
        metrics[f"{source}_gap"] = mean(unfairness[-1])
        metrics[f"{source}_accuracy"] = mean(right)
        errors[f"{source}_accuracy"] = min(standard_error(right), MOST_ERROR)
    per_model = np.mean(unfairness, axis=0)
    metrics |= {
        "odds_gap": mean(per_model),
        "average_odds_difference": mean(averages),
        "worst_model": float(per_model.max()),
    }
    errors["odds_gap"] = standard_error(per_model)
    return {"score": metrics["odds_gap"], "metrics": metrics, "standard_errors": errors}


def rate_gaps(answers, labels, groups):
    """Group 1 minus group 0, in false and in true positive rates; an answer that is neither 0 nor 1 is an error."""
    false = [share(answers[(groups == group) & (labels == 0)] != 0) for group in (0, 1)]
    true = [share(answers[(groups == group) & (labels == 1)] == 1) for group in (0, 1)]
    return false[1] - false[0], true[1] - true[0]


def share(claims):
    """The share that is true; of nothing, none."""
    return float(claims.mean()) if len(claims) else 0.0


def mean(values):
    """The mean as a plain number."""
    return float(np.mean(values))


def standard_error(values):
    """Of the mean over models; the rows they are asked about are the same for all."""
    return float(np.std(values, ddof=1) / np.sqrt(len(values))) if len(values) > 1 else 0.0


def main(root):
    """Grade what lies in ``root``."""
    labels, groups, sources = (
        np.load(root / "labels" / f"{name}.npy", allow_pickle=False) for name in ("labels", "groups", "sources")
    )
    answers = np.load(root / "answers.npy", allow_pickle=False)
    (root / "out" / "grade.json").write_text(json.dumps(grade(answers, labels, groups, sources)), "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
