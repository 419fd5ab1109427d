"""Tell the submitted network labels only: what teachers agree on, not how sure they are.

Distillation for membership privacy (Shejwalkar and Houmansadr, 2021) with votes instead of probabilities, as in PATE
(Papernot et al., 2017). Teachers and student are trained as Privacy
Meter's own trainer does, with cross-entropy, stochastic gradient descent with momentum and a learning rate that falls
along a cosine. Noise on the vectors and weight decay keep teachers from memorising.
"""

import math

import torch
from torch import nn

from family.network import Network
from members.exposure import report_exposure

WIDTH = 128
BATCH = 128
LEARNING_RATE = 0.1
MOMENTUM = 0.9

TEACHERS = 4
TEACHER_EPOCHS = 20
TEACHER_DECAY = 5e-3
TEACHER_NOISE = 0.8
STUDENT_EPOCHS = 8
STUDENT_DECAY = 1e-3
STUDENT_NOISE = 0.8


def train(vectors, labels, public):
    """Return a network of the family, trained on the members: [n, 64] vectors with [n] labels.

    ``public`` holds [m, 64] vectors of other pictures, without labels.
    """
    teachers = [Network(1, WIDTH) for _ in range(TEACHERS)]
    for teacher in teachers:
        descend(teacher, vectors, labels, TEACHER_EPOCHS, TEACHER_DECAY, TEACHER_NOISE)
    student = Network(1, WIDTH)
    descend(student, public, agree(teachers, public), STUDENT_EPOCHS, STUDENT_DECAY, STUDENT_NOISE)
    report_exposure(student, vectors, labels)
    return student


def agree(teachers, public):
    """The label that is most probable on average over teachers, [m]."""
    with torch.no_grad():
        return torch.stack([teacher(public).softmax(dim=1) for teacher in teachers]).mean(dim=0).argmax(dim=1)


def descend(network, vectors, targets, epochs, decay, noise):
    """Fit the network to labels or probabilities."""
    steps = epochs * math.ceil(len(vectors) / BATCH)
    speeds = [torch.zeros_like(weight) for weight in network.parameters()]
    network.train()
    step = 0
    for _ in range(epochs):
        for rows in torch.randperm(len(vectors)).split(BATCH):
            network.zero_grad()
            shown = vectors[rows] + noise * torch.randn_like(vectors[rows])
            nn.functional.cross_entropy(network(shown), targets[rows]).backward()
            move(network, speeds, LEARNING_RATE * math.cos(step / steps * 7 * math.pi / 16), decay)
            step += 1
    network.eval()


def move(network, speeds, rate, decay):
    """Take a step with momentum. Importing PyTorch's optimizers would take longer than training."""
    with torch.no_grad():
        for weight, speed in zip(network.parameters(), speeds, strict=True):
            speed.mul_(MOMENTUM).add_(weight.grad).add_(weight, alpha=decay)
            weight.sub_(speed, alpha=rate)
