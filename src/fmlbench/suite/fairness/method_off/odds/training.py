"""No adversary: the same predictor, trained for accuracy alone."""

import torch
from torch import nn, optim

from odds.predictor import Predictor

STEPS = 150
BATCH = 128
LEARNING_RATE = 0.03


def train(features, labels, groups):
    """Return a predictor trained on [n, d] features and [n] labels. The groups are ignored."""
    predictor = Predictor(features.shape[1])
    optimizer = optim.Adam(predictor.parameters(), lr=LEARNING_RATE)
    for _ in range(max(1, round(STEPS * BATCH / len(features)))):
        for batch in torch.randperm(len(features)).split(BATCH):
            loss = nn.functional.binary_cross_entropy(predictor(features[batch])[:, 0], labels[batch].float())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return predictor
