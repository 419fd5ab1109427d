"""Which group a training row belongs to, as probabilities."""

import torch
from torch import nn, optim

ATTRIBUTES = 3
GROUPS = 2**ATTRIBUTES
STEPS = 150
LEARNING_RATE = 0.05
DECAY = 0.02


def estimate_groups(features, labels, groups):
    """Return [n, 8] probabilities: certain where the group is told, elsewhere from features and label.

    One logistic regression for each protected attribute: few rows are told, and rare groups share their attributes with
    frequent ones.
    """
    told = groups >= 0
    inputs = torch.cat([features, 2.0 * labels[:, None] - 1.0], dim=1)
    digits = torch.arange(ATTRIBUTES)
    model = nn.Linear(inputs.shape[1], ATTRIBUTES)
    optimizer = optim.AdamW(model.parameters(), lr=LEARNING_RATE, weight_decay=DECAY)
    for _ in range(STEPS):
        attributes = (groups[told][:, None] >> digits & 1).float()
        loss = nn.functional.binary_cross_entropy_with_logits(model(inputs[told]), attributes)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        logits = model(inputs)
    codes = (torch.arange(GROUPS)[:, None] >> digits & 1).float()
    scores = nn.functional.logsigmoid(logits) @ codes.T + nn.functional.logsigmoid(-logits) @ (1 - codes).T
    memberships = scores.exp()
    memberships[told] = nn.functional.one_hot(groups[told], GROUPS).float()
    return memberships
