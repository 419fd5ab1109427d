"""Never show the submitted network a member: a teacher labels public vectors, with noise, and the network learns those.

Distillation for membership privacy (Shejwalkar and Houmansadr, 2021). The teacher's labels still depend on its members,
so they are given without probabilities, and some of them are random, in the spirit of PATE's noisy votes (Papernot et
al., 2017).
"""

import math

import torch
from torch import nn

from family.network import Network
from members.exposure import report_exposure

WIDTH = 128
BATCH = 64
LEARNING_RATE = 0.05
MOMENTUM = 0.9
CLASSES = 10

TEACHER_EPOCHS = 30
TEACHER_DECAY = 5e-3
SMOOTHING = 0.1
STUDENT_EPOCHS = 8
STUDENT_DECAY = 2e-3
RANDOM_LABELS = 0.1


def train(vectors, labels, public):
    """Return a network of the family, trained on the members: [n, 64] vectors with [n] labels.

    ``public`` holds [m, 64] vectors of other pictures, without labels.
    """
    teacher = Network(1, WIDTH)
    descend(teacher, vectors, labels, TEACHER_EPOCHS, TEACHER_DECAY, SMOOTHING)
    student = Network(1, WIDTH)
    descend(student, public, noisy_labels(teacher, public), STUDENT_EPOCHS, STUDENT_DECAY)
    report_exposure(student, vectors, labels)
    return student


def noisy_labels(teacher, public):
    """The teacher's labels, some of them replaced by random ones."""
    with torch.no_grad():
        labels = teacher(public).argmax(dim=1)
    is_random = torch.rand(len(labels)) < RANDOM_LABELS
    return torch.where(is_random, torch.randint(CLASSES, labels.shape), labels)


def descend(network, vectors, labels, epochs, decay, smoothing=0.0):
    """Fit the network to labels."""
    steps = epochs * math.ceil(len(vectors) / BATCH)
    speeds = [torch.zeros_like(weight) for weight in network.parameters()]
    network.train()
    step = 0
    for _ in range(epochs):
        for rows in torch.randperm(len(vectors)).split(BATCH):
            network.zero_grad()
            scores = network(vectors[rows])
            nn.functional.cross_entropy(scores, labels[rows], label_smoothing=smoothing).backward()
            move(network, speeds, LEARNING_RATE * math.cos(step / steps * 7 * math.pi / 16), decay)
            step += 1
    network.eval()


def move(network, speeds, rate, decay):
    """Take a step with momentum. Importing PyTorch's optimizers would take longer than training."""
    with torch.no_grad():
        for weight, speed in zip(network.parameters(), speeds, strict=True):
            speed.mul_(MOMENTUM).add_(weight.grad).add_(weight, alpha=decay)
            weight.sub_(speed, alpha=rate)
