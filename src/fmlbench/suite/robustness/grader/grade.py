"""Grade labels trigger by trigger: the score is the candidate's error in units of a yardstick's error.

Clean accuracy is the share of questions without a trigger that get their own label. A trigger's accuracy is the share
of its questions that get their own label. To miss the target is not enough.
The defence is the mean over triggers of the harmonic mean of the two. The error is what it lacks to 1.
"""

import numpy as np
from gradekit import main, refuse


WORST = 4.0
"""The score on record of answers that are refused."""


def grade(answers, labels, triggers, targets, yardstick):
    """Return score, metrics and standard errors.

    ``triggers`` are [n] with -1 for none, ``targets`` the [triggers, labels] labels that the
    backdoors lead to, ``yardstick`` the [n] answers of the yardstick.
    """
    if answers.shape != labels.shape:
        return refuse(f"answers have the shape {list(answers.shape)}, not {list(labels.shape)}", WORST)
    known = labels.max() + 1
    if np.any((answers < 0) | (answers >= known)):
        return refuse(f"every answer must be a label from 0 to {known - 1}", WORST)
    asked = [triggers == number for number in range(len(targets))]
    (clean, clean_error), (accuracies, errors) = accuracies_of(answers == labels, triggers < 0, asked)
    successes, success_errors = columns(
        share(answers[rows] == target[labels[rows]]) for rows, target in zip(asked, targets, strict=True)
    )
    defence, defence_error = defence_of(clean, clean_error, accuracies, errors)
    (known_clean, _), (known_accuracies, _) = accuracies_of(yardstick == labels, triggers < 0, asked)
    unit = 1 - defence_of(known_clean, 0.0, known_accuracies, np.zeros(len(targets)))[0]
    score = (1 - defence) / unit
    return {
        "score": score,
        "metrics": {
            "relative_error": score,
            "defence": defence,
            "clean_accuracy": clean,
            "triggered_accuracy": float(np.mean(accuracies)),
            "worst_triggered_accuracy": float(np.min(accuracies)),
            "attack_success": float(np.mean(successes)),
        },
        "standard_errors": {
            "relative_error": defence_error / unit,
            "defence": defence_error,
            "clean_accuracy": clean_error,
            "triggered_accuracy": error_of_mean(errors),
            "worst_triggered_accuracy": float(errors[np.argmin(accuracies)]),
            "attack_success": error_of_mean(success_errors),
        },
    }


def accuracies_of(is_right, is_clean, asked):
    """Shares of right answers with standard errors: of the clean questions, and of those with each trigger."""
    return share(is_right[is_clean]), tuple(columns(share(is_right[rows]) for rows in asked))


def columns(pairs):
    """The firsts and the seconds of pairs, as arrays."""
    return (np.array(column) for column in zip(*pairs, strict=True))


def share(is_so):
    """How often something is so, and the binomial standard error."""
    value = float(np.mean(is_so))
    return value, float(np.sqrt(value * (1 - value) / len(is_so)))


def defence_of(clean, clean_error, accuracies, errors):
    """The mean over triggers of the harmonic mean of clean and triggered accuracy, and its standard error.

    The error follows from the slopes 2 t^2 / (c + t)^2 and 2 c^2 / (c + t)^2 of 2 c t / (c + t); all triggers share
    the clean accuracy.
    """
    if clean == 0:
        return 0.0, 0.0
    sums = clean + accuracies
    by_clean = np.mean(2 * accuracies**2 / sums**2)
    by_trigger = 2 * clean**2 / sums**2
    error = np.hypot(by_clean * clean_error, error_of_mean(by_trigger * errors))
    return float(np.mean(2 * clean * accuracies / sums)), float(error)


def error_of_mean(errors):
    """The standard error of a mean of independent figures."""
    return float(np.sqrt(np.sum(np.square(errors))) / len(errors))


if __name__ == "__main__":
    main(grade)
