"""Grade estimated effects: root mean squared error within each realisation (sqrt PEHE), averaged over realisations.

grade.py ROOT    ROOT/labels/{realisation,effects}.npy, ROOT/answers.npy -> ROOT/out/grade.json

True effects are in units of the spread of the outcomes that training saw, so that realisations count alike.
"""

import json
import sys
from pathlib import Path

import numpy as np


def grade(answers, effects, realisation):
    """Return score, metrics and standard errors; all three arrays are [questions]."""
    if answers.shape != effects.shape:
        return refuse(f"answers have the shape {answers.shape}, not {effects.shape}")
    if not np.isfinite(answers).all():
        return refuse(f"{np.count_nonzero(~np.isfinite(answers))} of {len(answers)} answers are not finite")
    errors = answers.astype(np.float64) - effects
    numbers = np.unique(realisation)
    pehe = np.array([np.sqrt(np.mean(errors[realisation == number] ** 2)) for number in numbers])
    ate_errors = np.array([abs(errors[realisation == number].mean()) for number in numbers])
    metrics = {"sqrt_pehe": pehe, "ate_error": ate_errors}
    return {
        "score": float(pehe.mean()),
        "metrics": {name: float(values.mean()) for name, values in metrics.items()} | {"worst_pehe": float(pehe.max())},
        "standard_errors": {name: standard_error(values) for name, values in metrics.items()},
    }


def refuse(reason):
    """A grade for answers that cannot be graded."""
    return {"score": 0.0, "refused": reason}


def standard_error(values):
    """The standard error of a mean over realisations: units of one realisation share its fit."""
    return float(values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else 0.0


def main(root):
    """Grade what lies in ``root``."""
    labels = {name: np.load(root / "labels" / f"{name}.npy", allow_pickle=False) for name in ("effects", "realisation")}
    answers = np.load(root / "answers.npy", allow_pickle=False)
    (root / "out" / "grade.json").write_text(json.dumps(grade(answers, **labels)), "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
