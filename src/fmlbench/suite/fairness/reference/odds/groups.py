"""Which group a training row belongs to, as probabilities."""

import torch
from torch import nn, optim

GROUPS = 8
STEPS = 200
LEARNING_RATE = 0.03
DECAY = 0.02


def estimate_groups(features, labels, groups):
    """Return [n, 8] probabilities: certain where the group is told, elsewhere from features and label."""
    told = groups >= 0
    inputs = torch.cat([features, 2.0 * labels[:, None] - 1.0], dim=1)
    model = nn.Linear(inputs.shape[1], GROUPS)
    optimizer = optim.AdamW(model.parameters(), lr=LEARNING_RATE, weight_decay=DECAY)
    for _ in range(STEPS):
        loss = nn.functional.cross_entropy(model(inputs[told]), groups[told])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        memberships = model(inputs).softmax(dim=1)
    memberships[told] = nn.functional.one_hot(groups[told], GROUPS).float()
    return memberships
