"""Penalise unequal error rates of all groups alike, with estimated groups where none is told.

Rare groups count as much as frequent ones. Rows whose group is unknown take part with the probabilities of a model of
the protected attributes (Prost et al., 2019, penalise soft rates likewise). Two networks share the decision.
"""

import torch
from torch import nn, optim

from odds.groups import estimate_groups
from odds.predictor import Predictor

STEPS = 60
NETWORKS = 2
LEARNING_RATE = 0.03
PENALTY = 2.0
WARM_UP = 30


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
