"""Momentum contrast (MoCo): an image's view must recognise another view of it among many images."""

import copy

import torch
from torch import nn, optim

from lightly.loss import NTXentLoss
from lightly.models.modules.heads import MoCoProjectionHead
from lightly.models.utils import batch_shuffle, batch_unshuffle, deactivate_requires_grad, update_momentum
from represent.encoder import FEATURES, build_encoder
from represent.views import random_view

BATCH_SIZE = 512
LEARNING_RATE = 0.06
WEIGHT_DECAY = 5e-4
MOMENTUM = 0.99
TEMPERATURE = 0.1
MEMORY_BANK = 4096
OUTPUT = 128
SPLITS = 8


def train(images, epochs):
    """Return an encoder that has learned from [n, 3, 32, 32] images, which are on the device to train on."""
    encoder = build_encoder(SPLITS)
    query = nn.Sequential(encoder, MoCoProjectionHead(FEATURES, FEATURES, OUTPUT)).to(images.device)
    key = copy.deepcopy(query)
    deactivate_requires_grad(key)
    criterion = NTXentLoss(TEMPERATURE, memory_bank_size=(MEMORY_BANK, OUTPUT)).to(images.device)
    optimizer = optim.SGD(query.parameters(), lr=LEARNING_RATE, momentum=0.9, weight_decay=WEIGHT_DECAY)
    schedule = optim.lr_scheduler.CosineAnnealingLR(optimizer, epochs)
    for epoch in range(epochs):
        losses = [step(batch, query, key, criterion, optimizer) for batch in batches(images)]
        schedule.step()
        print(f"epoch {epoch}: loss {sum(losses) / len(losses):.3f}", flush=True)
    return encoder


def batches(images):
    """All images in a random order, but for those left over at the end."""
    size = min(BATCH_SIZE, len(images))
    order = torch.randperm(len(images)).to(images.device)
    return (images[rows] for rows in order.split(size) if len(rows) == size)


def step(images, query, key, criterion, optimizer):
    """Learn from one batch and return its loss."""
    update_momentum(query, key, MOMENTUM)
    with torch.no_grad():
        shuffled, order = batch_shuffle(random_view(images))
        keys = batch_unshuffle(key(shuffled), order)
    loss = criterion(query(random_view(images)), keys)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()
