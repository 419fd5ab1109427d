"""Never show the network a member: let a teacher label public images, with noise, and learn those.

Distillation for membership privacy (Shejwalkar and Houmansadr, 2021): what is handed in has learned from public images
alone. The teacher's labels still know its members a little; so they are given without probabilities, and a part of them
at random, in the spirit of PATE's noisy votes (Papernot et al., 2017). Both learn from images that are moved and
mirrored at random: the accuracy that this gains is what distillation costs.
"""

import torch
from members.views import Views
from trainers import default_trainer

from family.network import CLASSES, Network

OPTIMIZER = {"optimizer": "SGD", "learning_rate": 0.1, "weight_decay": 0.0, "momentum": 0.9}
RANDOM_LABELS = 0.1


def train(images, labels, public, epochs):
    """Return a network of the family that has seen none of [n, 3, 32, 32] images, the members."""
    teacher = fit(images, labels, epochs)
    return fit(public, noisy_labels(teacher.to(public.device), public), epochs)


def fit(images, labels, epochs):
    """A network that has learned these labels."""
    configs = {**OPTIMIZER, "epochs": epochs, "device": images.device}
    return default_trainer.train(Network(28, 2), Views(images, labels), configs)


def noisy_labels(teacher, public):
    """The teacher's labels, some of them replaced by random ones."""
    teacher.eval()
    with torch.no_grad():
        labels = torch.cat([teacher(batch).argmax(dim=1) for batch in public.split(500)])
    is_random = torch.rand(labels.shape, device=labels.device) < RANDOM_LABELS
    return torch.where(is_random, torch.randint_like(labels, CLASSES), labels)
