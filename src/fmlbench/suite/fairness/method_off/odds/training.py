"""No penalty: the same predictor, trained for accuracy alone."""

from torch import nn, optim

from odds.predictor import Predictor

STEPS = 60
LEARNING_RATE = 0.03
WEIGHT_DECAY = 1e-3


def train(features, labels, groups):
    """Return a predictor trained on [n, d] features and [n] labels. The groups are ignored."""
    predictor = Predictor(features.shape[1])
    optimizer = optim.AdamW(predictor.parameters(), lr=LEARNING_RATE, weight_decay=WEIGHT_DECAY)
    for _ in range(STEPS):
        loss = nn.functional.binary_cross_entropy(predictor(features)[:, 0], labels.float())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return predictor
