"""Bootstrap your own latent (BYOL): predict how a slowly moving copy sees another view; no image is compared to others.

Grill et al. (2020), "Bootstrap your own latent: a new approach to self-supervised learning", with lightly's heads and
loss, and sizes as in its examples for images of this size.
"""

import copy

import torch
from torch import nn, optim

from lightly.loss import NegativeCosineSimilarity
from lightly.models.modules.heads import BYOLPredictionHead, BYOLProjectionHead
from lightly.models.utils import deactivate_requires_grad, update_momentum
from represent.encoder import FEATURES, build_encoder
from represent.views import random_view

BATCH_SIZE = 512
LEARNING_RATE = 0.06
WEIGHT_DECAY = 5e-4
MOMENTUM = 0.99
HIDDEN = 1024
OUTPUT = 256


def train(images, epochs):
    """Return an encoder that has learned from [n, 3, 32, 32] images, which are on the device to train on."""
    encoder = build_encoder()
    online = nn.Sequential(encoder, BYOLProjectionHead(FEATURES, HIDDEN, OUTPUT)).to(images.device)
    predictor = BYOLPredictionHead(OUTPUT, HIDDEN, OUTPUT).to(images.device)
    target = copy.deepcopy(online)
    deactivate_requires_grad(target)
    weights = [*online.parameters(), *predictor.parameters()]
    optimizer = optim.SGD(weights, lr=LEARNING_RATE, momentum=0.9, weight_decay=WEIGHT_DECAY)
    schedule = optim.lr_scheduler.CosineAnnealingLR(optimizer, epochs)
    for epoch in range(epochs):
        losses = [step(batch, online, predictor, target, optimizer) for batch in batches(images)]
        schedule.step()
        print(f"epoch {epoch}: loss {sum(losses) / len(losses):.3f}", flush=True)
    return encoder


def batches(images):
    """All images in a random order, but for those left over at the end."""
    size = min(BATCH_SIZE, len(images))
    order = torch.randperm(len(images)).to(images.device)
    return (images[rows] for rows in order.split(size) if len(rows) == size)


def step(images, online, predictor, target, optimizer):
    """Learn from one batch, with either view as the one to predict, and return its loss."""
    update_momentum(online, target, MOMENTUM)
    criterion = NegativeCosineSimilarity()
    first, second = random_view(images), random_view(images)
    with torch.no_grad():
        goals = target(first), target(second)
    loss = (criterion(predictor(online(first)), goals[1]) + criterion(predictor(online(second)), goals[0])) / 2
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()
