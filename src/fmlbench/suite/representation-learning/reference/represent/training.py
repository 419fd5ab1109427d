"""The spectral contrastive loss, whose minimum are the leading singular functions of what two views have in common.

HaoChen, Wei, Gaidon and Ma (2021), "Provable guarantees for self-supervised deep learning with spectral contrastive
loss": it has no temperature, needs no projection head and no memory bank, and its minimiser is linearly separable
where pictures of one class have similar views.
"""

import torch
from torch import optim

from represent.encoder import build_encoder

EPOCHS = 12
BATCH_SIZE = 256
LEARNING_RATE = 0.003
WEIGHT_DECAY = 1e-3


def train(first, second):
    """Return an encoder that has learned from pairs of views, [n, 64] each."""
    encoder = build_encoder(first.shape[1])
    batch_size = min(BATCH_SIZE, len(first))
    optimizer = optim.AdamW(encoder.parameters(), lr=LEARNING_RATE, weight_decay=WEIGHT_DECAY)
    steps = EPOCHS * (len(first) // batch_size)
    schedule = optim.lr_scheduler.OneCycleLR(optimizer, LEARNING_RATE, total_steps=steps)
    for _ in range(EPOCHS):
        for rows in torch.randperm(len(first)).split(batch_size)[: len(first) // batch_size]:
            one, other = encoder(torch.cat([first[rows], second[rows]])).chunk(2)
            loss = spectral_contrastive_loss(one, other)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
    return encoder


def spectral_contrastive_loss(one, other):
    """Pull the two views of a picture together, and make features of different pictures orthogonal."""
    similarities = one @ other.T
    return torch.square(similarities).mean() - 2 * similarities.diagonal().mean()
