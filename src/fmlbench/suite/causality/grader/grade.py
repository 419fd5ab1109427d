"""Grade estimated effects: root mean squared errors of all realisations over those of a yardstick.

The root mean squared error within a realisation is its sqrt PEHE. The score is its mean over realisations, divided by
the mean error of a simple Gaussian process that is told the secret factors: 1 is as good as that, 0 is perfect.
"""

import numpy as np
from gradekit import main, refuse


def grade(answers, effects, realisation, yardstick):
    """Return score, metrics and standard errors; all four arrays are [questions]."""
    if answers.shape != effects.shape:
        return refuse(f"answers have the shape {answers.shape}, not {effects.shape}")
    if not np.isfinite(answers).all():
        return refuse(f"{np.count_nonzero(~np.isfinite(answers))} of {len(answers)} answers are not finite")
    errors = answers.astype(np.float64) - effects
    groups = [realisation == number for number in np.unique(realisation)]
    pehe = np.array([np.sqrt(np.mean(errors[group] ** 2)) for group in groups])
    ate_errors = np.array([abs(errors[group].mean()) for group in groups])
    yardsticks = np.array([yardstick[group][0] for group in groups])
    score = pehe.mean() / yardsticks.mean()
    metrics = {"sqrt_pehe": float(pehe.mean()), "ate_error": float(ate_errors.mean()), "worst_pehe": float(pehe.max())}
    return {
        "score": float(score),
        "metrics": {"relative_pehe": float(score), **metrics},
        "standard_errors": {
            "relative_pehe": standard_error(pehe - score * yardsticks) / float(yardsticks.mean()),
            "sqrt_pehe": standard_error(pehe),
            "ate_error": standard_error(ate_errors),
        },
    }


def standard_error(values):
    """The standard error of a mean over realisations: units of one realisation share its fit."""
    return float(values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else 0.0


if __name__ == "__main__":
    main(grade)
