"""Train with a penalty on unequal error rates (Zafar et al., 2017), measured by fairlearn's constraints."""

import torch
from torch import nn, optim

from fairlearn.reductions import EqualizedOdds
from odds.predictor import Predictor

STEPS = 60
LEARNING_RATE = 0.03
WEIGHT_DECAY = 1e-3
PENALTY = 3.0
WARM_UP = 30


def train(features, labels, groups):
    """Return a predictor trained on [n, d] features, [n] labels and [n] groups (-1 if unknown), all tensors."""
    told = groups >= 0
    violations = constraints(features[told], labels[told], groups[told])
    predictor = Predictor(features.shape[1])
    optimizer = optim.AdamW(predictor.parameters(), lr=LEARNING_RATE, weight_decay=WEIGHT_DECAY)
    for step in range(STEPS):
        chances = predictor(features)[:, 0]
        gap = (violations @ chances[told]).abs().sum()
        loss = nn.functional.binary_cross_entropy(chances, labels.float())
        loss = loss + PENALTY * min(1.0, step / WARM_UP) * gap
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return predictor


def constraints(features, labels, groups):
    """Return [constraints, n]: times predictions, how far each group is from the rate of all, for both labels.

    Each difference counts by the share of the rows that have its group and label: in expectation over rows, this is the
    covariance of group and prediction.
    """
    moment = EqualizedOdds()
    moment.load_data(features.numpy(), labels.numpy(), sensitive_features=groups.numpy())
    differences = moment.U["+"].to_numpy().T / moment.total_samples
    return torch.from_numpy(moment.prob_group_event.to_numpy()[:, None] * differences).float()
