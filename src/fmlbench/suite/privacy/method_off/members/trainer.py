"""Train the network on its members directly, without teachers, noise and weight decay.

Cross-entropy, stochastic gradient descent with momentum, a learning rate that falls along a cosine.
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

EPOCHS = 40
BATCH = 128
LEARNING_RATE = 0.1
MOMENTUM = 0.9
WEIGHT_DECAY = 0.0


def train(vectors, labels, public):
    """Return a network of the family, trained on the members: [n, 64] vectors with [n] labels.

    ``public`` holds [m, 64] vectors of other pictures, without labels.
    """
    network = Network(LAYERS, WIDTH, NORMALISED, DROPOUT)
    descend(network, vectors, labels, EPOCHS)
    report_exposure(network, vectors, labels)
    return network


def descend(network, vectors, labels, epochs):
    """Fit the network to labels."""
    steps = epochs * math.ceil(len(vectors) / BATCH)
    speeds = [torch.zeros_like(weight) for weight in network.parameters()]
    network.train()
    step = 0
    for _ in range(epochs):
        for rows in torch.randperm(len(vectors)).split(BATCH):
            network.zero_grad()
            nn.functional.cross_entropy(network(vectors[rows]), labels[rows]).backward()
            move(network, speeds, LEARNING_RATE * math.cos(step / steps * 7 * math.pi / 16))
            step += 1
    network.eval()


def move(network, speeds, rate):
    """Take a step with momentum. Importing PyTorch's optimizers would take longer than training."""
    with torch.no_grad():
        for weight, speed in zip(network.parameters(), speeds, strict=True):
            speed.mul_(MOMENTUM).add_(weight.grad).add_(weight, alpha=WEIGHT_DECAY)
            weight.sub_(speed, alpha=rate)
