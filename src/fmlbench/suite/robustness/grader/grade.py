"""Grade labels trigger by trigger: the score is the mean of the harmonic means of clean accuracy and resistance.

grade.py ROOT    ROOT/labels/{labels,triggers,targets}.npy, ROOT/answers.npy -> ROOT/out/grade.json

Clean accuracy is the share of pictures without a trigger that get their own label. A trigger's resistance is the share
of its pictures, all of digits other than its target, that do not get the target.
"""

import json
import sys
from pathlib import Path

import numpy as np


def grade(answers, labels, triggers, targets):
    """Return score, metrics and standard errors; ``triggers`` are [n] with -1 for none, ``targets`` one a trigger."""
    if answers.shape != labels.shape:
        return {"score": 0.0, "refused": f"answers have the shape {list(answers.shape)}, not {list(labels.shape)}"}
    has_trigger = triggers >= 0
    clean, clean_error = share((answers == labels)[~has_trigger])
    triggered, triggered_error = share((answers == labels)[has_trigger])
    parts = [share(answers[triggers == number] != target) for number, target in enumerate(targets)]
    resistances, errors = (np.array(column) for column in zip(*parts, strict=True))
    score, score_error = defence_score(clean, clean_error, resistances, errors)
    return {
        "score": score,
        "metrics": {
            "defence_score": score,
            "clean_accuracy": clean,
            "resistance": float(np.mean(resistances)),
            "worst_resistance": float(np.min(resistances)),
            "triggered_accuracy": triggered,
        },
        "standard_errors": {
            "defence_score": score_error,
            "clean_accuracy": clean_error,
            "resistance": error_of_mean(errors),
            "worst_resistance": float(errors[np.argmin(resistances)]),
            "triggered_accuracy": triggered_error,
        },
    }


def share(is_so):
    """How often something is so, and the binomial standard error."""
    value = float(np.mean(is_so))
    return value, float(np.sqrt(value * (1 - value) / len(is_so)))


def defence_score(clean, clean_error, resistances, errors):
    """The mean over triggers of the harmonic mean of clean accuracy and resistance, and its standard error.

    The error follows from the slopes 2 r^2 / (c + r)^2 and 2 c^2 / (c + r)^2 of 2 c r / (c + r); all triggers share
    the clean accuracy.
    """
    if clean == 0:
        return 0.0, 0.0
    sums = clean + resistances
    by_clean = np.mean(2 * resistances**2 / sums**2)
    by_resistance = 2 * clean**2 / sums**2
    error = np.hypot(by_clean * clean_error, error_of_mean(by_resistance * errors))
    return float(np.mean(2 * clean * resistances / sums)), float(error)


def error_of_mean(errors):
    """The standard error of a mean of independent figures."""
    return float(np.sqrt(np.sum(np.square(errors))) / len(errors))


def main(root):
    """Grade what lies in ``root``."""
    names = ("labels", "triggers", "targets")
    truth = (np.load(root / "labels" / f"{name}.npy", allow_pickle=False) for name in names)
    answers = np.load(root / "answers.npy", allow_pickle=False)
    (root / "out" / "grade.json").write_text(json.dumps(grade(answers, *truth)), "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
