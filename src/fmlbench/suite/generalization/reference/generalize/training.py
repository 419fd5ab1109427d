"""A product of experts: learn what classifiers that were trained only briefly do not know.

Clark, Yatskar and Zettlemoyer (2019), "Don't take the easy way out": an expert for what is misleading is multiplied
into the prediction during training and left out afterwards, so that the main classifier learns the rest. Sanh, Wolf,
Belinkov and Rush (2021), "Learning from others' mistakes": nobody need know what is misleading; a weak learner finds
it, because it is what is learned first.
"""

import torch
from torch import nn, optim

from generalize.network import build_network
from generalize.pictures import Pictures
from spuco.robust_train import ERM
from spuco.utils import Trainer

WEAK_LEARNERS = 2
WEAK_EPOCHS = 3
EPOCHS = 7
BATCH_SIZE = 64
LEARNING_RATE = 0.002


class PicturesWithExperts(Pictures):
    """Pictures whose labels come with what the weak learners think of them."""

    def __init__(self, images, labels, domains, opinions):
        super().__init__(images, labels, domains)
        self.opinions = opinions

    def __getitem__(self, item):
        return self.images[item], self.targets[item], self.opinions[item]


def train(images, labels, domains):
    """Return the main classifier, without the weak learners it was trained with."""
    pictures = Pictures(images, labels, domains)
    opinions = torch.stack([opinion_of(train_weakly(pictures), images) for _ in range(WEAK_LEARNERS)]).mean(dim=0)
    model = build_network()
    Trainer(
        trainset=PicturesWithExperts(images, labels, domains, opinions),
        model=model,
        batch_size=BATCH_SIZE,
        optimizer=optim.Adam(model.parameters(), lr=LEARNING_RATE),
        forward_pass=multiply_experts,
    ).train(EPOCHS)
    return model


def train_weakly(pictures):
    """Return a classifier that has had time for the easiest features only."""
    model = build_network()
    optimizer = optim.Adam(model.parameters(), lr=LEARNING_RATE)
    ERM(model, pictures, BATCH_SIZE, optimizer, WEAK_EPOCHS).train()
    return model


def opinion_of(model, images):
    """The log-probabilities a weak learner gives to all labels of all pictures."""
    model.eval()
    with torch.no_grad():
        return torch.cat([model(batch).log_softmax(dim=1) for batch in images.split(500)])


def multiply_experts(trainer, batch):
    """The loss of main classifier and weak learners together; only the first can change."""
    images, labels, opinions = batch
    outputs = trainer.model(images)
    return nn.functional.cross_entropy(outputs.log_softmax(dim=1) + opinions, labels), outputs, labels
