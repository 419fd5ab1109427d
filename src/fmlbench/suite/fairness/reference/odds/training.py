"""Gap penalties in training, and a threshold for each group afterwards.

The penalty is the difference of smoothed error rates between groups, in the spirit of Zafar et al. (2017) and of
MinDiff (Prost et al., 2019); thresholds of groups that equalise the odds are the idea of Hardt et al. (2016).
"""

import torch
from torch import nn, optim

from odds.predictor import Predictor, probabilities
from odds.thresholds import choose_thresholds

STEPS = 300
WARM_UP = 100
LEARNING_RATE = 0.01
WEIGHT_DECAY = 3e-3
PENALTY = 1.0


def train(features, groups, labels):
    """Return a predictor that sees the group, and the threshold of each group."""
    inputs = with_group(features, groups)
    predictor = Predictor(inputs)
    optimizer = optim.Adam(predictor.parameters(), lr=LEARNING_RATE, weight_decay=WEIGHT_DECAY)
    schedule = optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=STEPS)
    cells = {(group, label): (groups == group) & (labels == label) for group in (0, 1) for label in (0, 1)}
    for step in range(STEPS):
        chances = predictor(inputs)[:, 0]
        loss = nn.functional.binary_cross_entropy(chances, labels.float())
        loss = loss + PENALTY * min(1.0, step / WARM_UP) * soft_gap(chances, cells)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
    thresholds = choose_thresholds(probabilities(predictor, inputs), groups, labels)
    print(f"thresholds {thresholds.tolist()}", flush=True)
    return predictor, thresholds


def with_group(features, groups):
    """The features with the group as a further column."""
    return torch.cat([features, groups[:, None].float()], dim=1)


def soft_gap(chances, cells):
    """How far the mean chances of the groups lie apart, among rows of label 0 plus among rows of label 1."""
    rates = {cell: chances[rows].mean() for cell, rows in cells.items()}
    return sum((rates[1, label] - rates[0, label]).abs() for label in (0, 1))
