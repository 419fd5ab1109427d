"""Train a network on its members, the way Privacy Meter's own trainer does, and stop early.

Cross-entropy, stochastic gradient descent with momentum, a learning rate that falls along a cosine. What keeps the
network from learning its members by heart is that it sees each of them only so many times.
"""

import math

import torch
from torch import nn

from family.network import Network
from members.exposure import report_exposure

LAYERS = 1
WIDTH = 128
NORMALISED = False
DROPOUT = 0.0

EPOCHS = 30
BATCH = 64
LEARNING_RATE = 0.05
MOMENTUM = 0.9
WEIGHT_DECAY = 5e-4


def train(images, labels, public):
    """Return a network of the family, trained on [n, 196] images in [0, 1] with [n] labels, the members.

    ``public`` holds [m, 196] images that are nobody's secret; they come without labels.
    """
    network = Network(LAYERS, WIDTH, NORMALISED, DROPOUT)
    descend(network, images, labels, EPOCHS)
    report_exposure(network, images, labels)
    return network


def descend(network, images, labels, epochs):
    """Fit the network to labels."""
    steps = epochs * math.ceil(len(images) / BATCH)
    speeds = [torch.zeros_like(weight) for weight in network.parameters()]
    network.train()
    step = 0
    for _ in range(epochs):
        for rows in torch.randperm(len(images)).split(BATCH):
            network.zero_grad()
            nn.functional.cross_entropy(network(images[rows]), labels[rows]).backward()
            move(network, speeds, LEARNING_RATE * math.cos(step / steps * 7 * math.pi / 16))
            step += 1
    network.eval()


def move(network, speeds, rate):
    """Take a step with momentum; to load PyTorch's optimizers would take longer than to train."""
    with torch.no_grad():
        for weight, speed in zip(network.parameters(), speeds, strict=True):
            speed.mul_(MOMENTUM).add_(weight.grad).add_(weight, alpha=WEIGHT_DECAY)
            weight.sub_(speed, alpha=rate)
