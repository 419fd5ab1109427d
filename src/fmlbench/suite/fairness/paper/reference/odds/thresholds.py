"""A threshold for each group, such that error rates agree and few decisions are wrong (Hardt et al., 2016)."""

import numpy as np

GAP_WEIGHT = 1.0


def choose_thresholds(scores, groups, labels):
    """Return [2] thresholds: those with the least sum of weighted gap and error rate on these rows, all [n]."""
    options, false, true, errors = zip(*(describe(scores, groups, labels, group) for group in (0, 1)), strict=True)
    gap = np.abs(false[0][:, None] - false[1]) + np.abs(true[0][:, None] - true[1])
    cost = GAP_WEIGHT * gap / 2 + errors[0][:, None] + errors[1]
    first, second = np.unravel_index(cost.argmin(), cost.shape)
    return np.array([options[0][first], options[1][second]])


def describe(scores, groups, labels, group):
    """Possible thresholds of a group, with false and true positive rates and errors as a share of all rows."""
    # Equal rows may differ in their last digits, by their place in a batch: thresholds lie half way between scores.
    levels = np.unique(scores[groups == group].round(5))
    options = np.concatenate([[0.0], (levels[1:] + levels[:-1]) / 2, [1.0]])
    negatives, positives = (scores[(groups == group) & (labels == label)] for label in (0, 1))
    false, true = ((part[:, None] >= options).mean(axis=0) for part in (negatives, positives))
    errors = (false * len(negatives) + (1 - true) * len(positives)) / len(labels)
    return options, false, true, errors
