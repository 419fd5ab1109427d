"""Momentum contrast (MoCo): an image's view must recognise another view of it among many images."""

import copy

import torch
from torch import nn, optim

from lightly.loss import NTXentLoss
from lightly.models.modules.heads import MoCoProjectionHead
from lightly.models.utils import deactivate_requires_grad, update_momentum
from represent.encoder import FEATURES, build_encoder
from represent.views import random_view

EPOCHS = 6
BATCH_SIZE = 128
LEARNING_RATE = 0.002
WEIGHT_DECAY = 1e-5
MOMENTUM = 0.99
TEMPERATURE = 0.1
MEMORY_BANK = 512
HIDDEN = 128
OUTPUT = 64


def train(images):
    """Return an encoder that has learned from [n, 3, 16, 16] images."""
    encoder = build_encoder()
    query = nn.Sequential(encoder, MoCoProjectionHead(FEATURES, HIDDEN, OUTPUT))
    key = copy.deepcopy(query)
    deactivate_requires_grad(key)
    criterion = NTXentLoss(TEMPERATURE, memory_bank_size=(MEMORY_BANK, OUTPUT))
    optimizer = optim.Adam(query.parameters(), lr=LEARNING_RATE, weight_decay=WEIGHT_DECAY)
    schedule = optim.lr_scheduler.CosineAnnealingLR(optimizer, EPOCHS * (len(images) // BATCH_SIZE))
    for epoch in range(EPOCHS):
        losses = [step(batch, query, key, criterion, optimizer, schedule) for batch in batches(images)]
        print(f"epoch {epoch}: loss {sum(losses) / len(losses):.3f}")
    return encoder


def batches(images):
    """All images in a random order, but for those left over at the end."""
    order = torch.randperm(len(images))
    return (images[rows] for rows in order.split(BATCH_SIZE) if len(rows) == BATCH_SIZE)


def step(images, query, key, criterion, optimizer, schedule):
    """Learn from one batch and return its loss."""
    update_momentum(query, key, MOMENTUM)
    with torch.no_grad():
        keys = key(random_view(images))
    loss = criterion(query(random_view(images)), keys)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    schedule.step()
    return loss.item()
