"""SimCLR: a view must recognise the other view of its picture among the views of a batch."""

import torch
from torch import nn, optim

from lightly.loss import NTXentLoss
from lightly.models.modules.heads import SimCLRProjectionHead
from represent.encoder import FEATURES, build_encoder

EPOCHS = 8
BATCH_SIZE = 256
LEARNING_RATE = 0.004
WEIGHT_DECAY = 1e-4
TEMPERATURE = 0.2
HEAD_HIDDEN = 128
HEAD_OUTPUT = 64


def train(first, second):
    """Return an encoder that has learned from pairs of views, [n, 64] each; row i of both shows picture i."""
    encoder = build_encoder(first.shape[1])
    network = nn.Sequential(encoder, SimCLRProjectionHead(FEATURES, HEAD_HIDDEN, HEAD_OUTPUT))
    criterion = NTXentLoss(TEMPERATURE)
    optimizer = optim.Adam(network.parameters(), lr=LEARNING_RATE, weight_decay=WEIGHT_DECAY)
    batch_size = min(BATCH_SIZE, len(first))
    schedule = optim.lr_scheduler.CosineAnnealingLR(optimizer, EPOCHS * (len(first) // batch_size))
    for epoch in range(EPOCHS):
        losses = [
            step(first[rows], second[rows], network, criterion, optimizer, schedule)
            for rows in batches(len(first), batch_size)
        ]
        print(f"epoch {epoch}: loss {sum(losses) / len(losses):.3f}")
    return encoder


def batches(count, batch_size):
    """Rows of all pairs in a random order, without those left over at the end."""
    return [rows for rows in torch.randperm(count).split(batch_size) if len(rows) == batch_size]


def step(first, second, network, criterion, optimizer, schedule):
    """Learn from one batch and return its loss."""
    one, other = network(torch.cat([first, second])).chunk(2)
    loss = criterion(one, other)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    schedule.step()
    return loss.item()
