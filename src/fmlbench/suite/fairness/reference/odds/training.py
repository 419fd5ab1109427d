"""Penalise the differences of smoothed error rates between groups, with estimated groups where none is told.

The penalty follows Zafar et al. (2017) and Prost et al. (2019). Rows whose group is unknown take part with the
probabilities of a group model that sees features and label. Several networks share the decision, which steadies it.
"""

import torch
from torch import nn, optim

from odds.groups import estimate_groups
from odds.predictor import Predictor

STEPS = 120
NETWORKS = 2
LEARNING_RATE = 0.03
PENALTY = 3.0
WARM_UP = 60


def train(features, labels, groups):
    """Return predictors trained on [n, d] features, [n] labels and [n] groups, -1 where unknown."""
    memberships = estimate_groups(features, labels, groups)
    return [fit(features, labels.float(), memberships) for _ in range(NETWORKS)]


def fit(features, labels, memberships):
    """Train one predictor on all rows at once; the penalty grows over the first steps."""
    predictor = Predictor(features.shape[1])
    optimizer = optim.AdamW(predictor.parameters(), lr=LEARNING_RATE, weight_decay=1e-3)
    cells = torch.stack([memberships * (1 - labels)[:, None], memberships * labels[:, None]])
    cells = cells / cells.sum(dim=1, keepdim=True)
    for step in range(STEPS):
        chances = predictor(features)[:, 0]
        rates = (cells * chances[:, None]).sum(dim=1)
        gap = (rates - rates.mean(dim=1, keepdim=True)).abs().mean()
        loss = nn.functional.binary_cross_entropy(chances, labels)
        loss = loss + PENALTY * min(1.0, step / WARM_UP) * gap
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return predictor
