"""Grade yes-or-no decisions: how far error rates differ between groups, and how many decisions are right.

No labels are drawn for an exam. The grader knows every person's probability of label 1 and computes expected rates,
which removes the noise that drawn labels would add.
"""

import numpy as np
from gradekit import main, refuse

MOST_ERROR = 0.001
"""Standard errors give the rule its tolerance. Populations differ, but the baseline is judged on the same ones."""
WORST = 1.0


def grade(answers, chances, groups, shares, populations):
    """Return score, metrics and standard errors; all arguments are [people]."""
    if answers.shape != chances.shape:
        raise ValueError(f"answers have the shape {answers.shape}, not {chances.shape}")
    if not np.isin(answers, (0, 1)).all():
        return refuse("every answer must be 0 or 1")
    judged = []
    for number in np.unique(populations):
        asked = populations == number
        judged.append(judge(answers[asked], chances[asked], groups[asked], shares[asked]))
    columns = {name: np.array([one[name] for one in judged]) for name in judged[0]}
    metrics = {name: float(column.mean()) for name, column in columns.items()}
    errors = {name: standard_error(column) for name, column in columns.items()}
    errors["accuracy"] = min(errors["accuracy"], MOST_ERROR)
    metrics["odds_gap"], errors["odds_gap"] = relate(columns["rate_gap"], columns["informedness"])
    return {"score": metrics["odds_gap"], "metrics": metrics, "standard_errors": errors}


def relate(gaps, informedness):
    """The mean gap divided by the mean informedness, and the standard error of this ratio.

    Who replaces decisions by a coin or a constant, independently of the person, shrinks both alike and gains nothing.
    """
    if gaps.mean() >= WORST * informedness.mean():
        return WORST, 0.0
    ratio = float(gaps.mean() / informedness.mean())
    return ratio, standard_error(gaps - ratio * informedness) / float(informedness.mean())


def judge(answers, chances, groups, shares):
    """The figures of one population."""
    rates, right, weights = [], [], []
    for group in np.unique(groups):
        members = groups == group
        yes, chance = answers[members], chances[members]
        rates.append([(yes * (1 - chance)).sum() / (1 - chance).sum(), (yes * chance).sum() / chance.sum()])
        right.append((yes * chance + (1 - yes) * (1 - chance)).mean())
        weights.append(shares[members][0])
    rates = np.array(rates)
    distances = np.abs(rates - rates.mean(axis=0)).mean(axis=0)
    return {
        "rate_gap": distances.mean(),
        "false_positive_gap": distances[0],
        "true_positive_gap": distances[1],
        "widest_gap": np.ptp(rates, axis=0).max(),
        "accuracy": np.average(right, weights=weights),
        "informedness": rates[:, 1].mean() - rates[:, 0].mean(),
    }


def standard_error(values):
    """Of the mean over populations."""
    return float(np.std(values, ddof=1) / np.sqrt(len(values))) if len(values) > 1 else 0.0


if __name__ == "__main__":
    main(grade)
