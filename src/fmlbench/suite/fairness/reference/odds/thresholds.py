"""A threshold for each group, such that error rates agree and few decisions are wrong (Hardt et al., 2016)."""

import torch

CANDIDATES = 97
GAP_WEIGHT = 0.5


def choose_thresholds(chances, groups, labels):
    """Return [2] thresholds: those with the least sum of weighted gap and error rate on these rows."""
    options, false, true, errors = zip(*(describe(chances, groups, labels, group) for group in (0, 1)), strict=True)
    gap = (false[0][:, None] - false[1]).abs() + (true[0][:, None] - true[1]).abs()
    cost = GAP_WEIGHT * gap / 2 + errors[0][:, None] + errors[1]
    first, second = divmod(int(cost.argmin()), CANDIDATES)
    return torch.stack([options[0][first], options[1][second]])


def describe(chances, groups, labels, group):
    """Possible thresholds of a group, with false and true positive rates and errors as a share of all rows."""
    options = torch.quantile(chances[groups == group], torch.linspace(0.02, 0.98, CANDIDATES))
    negatives, positives = (chances[(groups == group) & (labels == label)] for label in (0, 1))
    false, true = ((part[:, None] >= options).float().mean(dim=0) for part in (negatives, positives))
    errors = (false * len(negatives) + (1 - true) * len(positives)) / len(labels)
    return options, false, true, errors
