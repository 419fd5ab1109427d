"""Learn from all pairs of a batch and from the names of its classes, with unit features.

Laenen and Bertinetto (2021), "On episodes, Prototypical Networks, and few-shot learning", show that comparing all
drawings of a batch with each other beats splitting it into support and query; Chen et al. (2019), "A closer look at
few-shot classification", that plain classification of the training classes is a strong teacher.
"""

import torch
from torch import nn, optim

from fewshot.backbone import build_backbone
from fewshot.soft_kmeans import SoftKMeans

STEPS = 320
CLASSES = 45
PER_CLASS = 2
SCALE = 10.0
LEARNING_RATE = 0.01


def train(images, labels):
    """Return a transductive few-shot classifier."""
    backbone = build_backbone()
    head = nn.Linear(backbone(images[:2]).shape[1], int(labels.max()) + 1)
    parameters = [*backbone.parameters(), *head.parameters()]
    optimizer = optim.AdamW(parameters, lr=LEARNING_RATE, weight_decay=0.0)
    schedule = optim.lr_scheduler.OneCycleLR(optimizer, LEARNING_RATE, total_steps=STEPS, pct_start=0.1)
    rows_of = [torch.nonzero(labels == label)[:, 0] for label in range(head.out_features)]
    backbone.train()
    for _ in range(STEPS):
        rows = draw_batch(rows_of)
        features = backbone(images[rows])
        loss = neighbour_loss(features) + nn.functional.cross_entropy(head(features), labels[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
    return SoftKMeans(backbone)


def draw_batch(rows_of):
    """Rows of a few classes, those of one class next to each other."""
    classes = torch.randperm(len(rows_of))[:CLASSES]
    return torch.cat([rows_of[c][torch.randperm(len(rows_of[c]))[:PER_CLASS]] for c in classes])


def neighbour_loss(features):
    """Neighbourhood component analysis: the other drawings of its class should be a drawing's nearest."""
    unit = nn.functional.normalize(features, dim=1)
    itself = torch.eye(len(unit), dtype=torch.bool)
    of_class = torch.arange(CLASSES).repeat_interleave(PER_CLASS)
    same = (of_class[:, None] == of_class[None]) & ~itself
    scores = (SCALE * unit @ unit.T).masked_fill(itself, float("-inf"))
    return (scores.logsumexp(dim=1) - scores.masked_fill(~same, float("-inf")).logsumexp(dim=1)).mean()
