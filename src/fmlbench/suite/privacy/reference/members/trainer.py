"""Never show the network a member: let a teacher label public images, with noise, and learn those.

Distillation for membership privacy (Shejwalkar and Houmansadr, 2021): what is handed in has learned from public images
alone. The teacher's labels still know its members a little; so they are given without probabilities, and a part of them
at random, in the spirit of PATE's noisy votes (Papernot et al., 2017).
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

TEACHER_EPOCHS = 60
SMOOTHING = 0.2
STUDENT_EPOCHS = 8
RANDOM_LABELS = 0.15


def train(images, labels, public):
    """Return a network of the family, trained on [n, 196] images in [0, 1] with [n] labels, the members.

    ``public`` holds [m, 196] images that are nobody's secret; they come without labels.
    """
    teacher = Network(1, WIDTH)
    descend(teacher, images, labels, TEACHER_EPOCHS, SMOOTHING)
    student = Network(1, WIDTH)
    descend(student, public, noisy_labels(teacher, public), STUDENT_EPOCHS)
    report_exposure(student, images, labels)
    return student


def noisy_labels(teacher, public):
    """The teacher's labels, some of them replaced by random ones."""
    with torch.no_grad():
        labels = teacher(public).argmax(dim=1)
    is_random = torch.rand(len(labels)) < RANDOM_LABELS
    return torch.where(is_random, torch.randint(CLASSES, labels.shape), labels)


def descend(network, images, labels, epochs, smoothing=0.0):
    """Fit the network to labels."""
    steps = epochs * math.ceil(len(images) / BATCH)
    speeds = [torch.zeros_like(weight) for weight in network.parameters()]
    network.train()
    step = 0
    for _ in range(epochs):
        for rows in torch.randperm(len(images)).split(BATCH):
            network.zero_grad()
            scores = network(images[rows])
            nn.functional.cross_entropy(scores, labels[rows], label_smoothing=smoothing).backward()
            move(network, speeds, LEARNING_RATE * math.cos(step / steps * 7 * math.pi / 16))
            step += 1
    network.eval()


def move(network, speeds, rate):
    """Take a step with momentum; to load PyTorch's optimizers would take longer than to train."""
    with torch.no_grad():
        for weight, speed in zip(network.parameters(), speeds, strict=True):
            speed.mul_(MOMENTUM).add_(weight.grad)
            weight.sub_(speed, alpha=rate)
