"""A product of experts: learn what a network that sees no shapes does not know.

Clark, Yatskar and Zettlemoyer (2019), "Don't take the easy way out": an expert for what is misleading is multiplied
into the prediction during training and left out afterwards, so that the main classifier learns the rest. Bahng, Chun,
Yun, Choo and Oh (2020), "Learning de-biased representations with biased representations": such an expert need not
be told what misleads; a network with small receptive fields can learn nothing but what is local.
"""

import torch
from torch import nn, optim

from generalize.network import CLASSES, build_network
from generalize.pictures import Pictures
from spuco.robust_train import ERM

EXPERT_EPOCHS = 8
EPOCHS = 5
BATCH_SIZE = 64
EXPERT_LEARNING_RATE = 0.006
LEARNING_RATE = 0.002


class Local(nn.Module):
    """Averages what it finds in patches of 7 x 7 pixels, wherever they are."""

    def __init__(self):
        super().__init__()
        self.patches = nn.Sequential(nn.Conv2d(3, 24, 7, stride=2), nn.ReLU(), nn.Conv2d(24, 32, 1), nn.ReLU())
        self.classifier = nn.Linear(32, CLASSES)

    def forward(self, images):
        return self.classifier(self.patches(images).mean(dim=(2, 3)))


class PicturesWithOpinions(Pictures):
    """Pictures with their labels and with what the experts think of them."""

    def __init__(self, images, labels, domains, opinions):
        super().__init__(images, labels, domains)
        self.opinions = opinions

    def __getitem__(self, item):
        return *super().__getitem__(item), self.opinions[item]


def train(images, labels, domains):
    """Return the main classifier, without the experts of both domains that it was trained with."""
    opinions = torch.zeros(len(images), CLASSES)
    for domain in domains.unique():
        rows = domains == domain
        expert = fit(Local(), Pictures(images[rows], labels[rows], domains[rows]), EXPERT_LEARNING_RATE, EXPERT_EPOCHS)
        with torch.no_grad():
            opinions[rows] = expert(images[rows]).log_softmax(dim=1)
    return fit(
        build_network(),
        PicturesWithOpinions(images, labels, domains, opinions),
        LEARNING_RATE,
        EPOCHS,
        multiply_opinions,
    )


def fit(model, pictures, learning_rate, epochs, forward_pass=None):
    """Return the model, trained by spuco's loop; ``forward_pass`` replaces what it does with a batch."""
    method = ERM(model, pictures, BATCH_SIZE, optim.Adam(model.parameters(), lr=learning_rate), epochs)
    method.trainer.forward_pass = forward_pass or method.trainer.forward_pass
    method.train()
    return model


def multiply_opinions(trainer, batch):
    """The loss of the product of the model and the experts."""
    images, labels, opinions = batch
    outputs = trainer.model(images).log_softmax(dim=1)
    return trainer.criterion(outputs + opinions, labels), outputs, labels
