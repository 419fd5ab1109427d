"""Learn from all pairs of a batch and from the labels of its classes, with unit features and mixed inputs.

Laenen and Bertinetto (2021), "On episodes, Prototypical Networks, and few-shot learning", show that comparing all
examples of a batch with each other beats splitting it into support and query; Chen et al. (2019), "A closer look at
few-shot classification", that plain classification of the training classes is a strong teacher. Mixtures of two
vectors of a class and noise stand for the drawings that the small training set lacks.
"""

import torch
from torch import nn, optim

from fewshot.soft_kmeans import Committee, SoftKMeans

MEMBERS = 2
HIDDEN = 512
FEATURES = 64
STEPS = 400
CLASSES = 45
PER_CLASS = 4
SCALE = 10.0
NOISE = 0.5
MIXING = 0.5
LEARNING_RATE = 0.005
WEIGHT_DECAY = 0.1


def train(vectors, labels):
    """Return a transductive few-shot classifier."""
    return SoftKMeans(Committee([train_member(vectors, labels) for _ in range(MEMBERS)]))


def train_member(vectors, labels):
    """Train one backbone together with a classifier of the training classes."""
    backbone = nn.Sequential(
        nn.Linear(vectors.shape[1], HIDDEN), nn.BatchNorm1d(HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, FEATURES)
    )
    head = nn.Linear(FEATURES, int(labels.max()) + 1)
    parameters = [*backbone.parameters(), *head.parameters()]
    optimizer = optim.AdamW(parameters, lr=LEARNING_RATE, weight_decay=WEIGHT_DECAY)
    schedule = optim.lr_scheduler.OneCycleLR(optimizer, LEARNING_RATE, total_steps=STEPS, pct_start=0.1)
    ordered, counts = vectors[labels.argsort()], labels.bincount()
    backbone.train()
    for _ in range(STEPS):
        classes = torch.randperm(len(counts))[:CLASSES].repeat_interleave(PER_CLASS)
        features = backbone(draw_batch(ordered, counts, classes))
        loss = neighbour_loss(features, classes) + nn.functional.cross_entropy(head(features), classes)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
    return backbone


def draw_batch(ordered, counts, classes):
    """For each entry of ``classes`` a mixture of two vectors of that class, with noise; ``ordered`` is by class."""
    starts = counts.cumsum(0) - counts
    first, second = (ordered[starts[classes] + (torch.rand(len(classes)) * counts[classes]).long()] for _ in range(2))
    share = MIXING * torch.rand(len(classes), 1)
    return torch.lerp(first, second, share) + NOISE * torch.randn_like(first)


def neighbour_loss(features, classes):
    """Neighbourhood component analysis: the others of its class should be an example's nearest."""
    unit = nn.functional.normalize(features, dim=1)
    itself = torch.eye(len(unit), dtype=torch.bool)
    same = (classes[:, None] == classes[None]) & ~itself
    scores = (SCALE * unit @ unit.T).masked_fill(itself, float("-inf"))
    return (scores.logsumexp(dim=1) - scores.masked_fill(~same, float("-inf")).logsumexp(dim=1)).mean()
