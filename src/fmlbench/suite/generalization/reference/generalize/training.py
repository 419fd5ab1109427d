"""A product of experts: learn what the backdrop's expert does not know.

Clark, Yatskar and Zettlemoyer (2019), "Don't take the easy way out": an expert for what misleads is multiplied into the
prediction during training and left out afterwards, so that the main classifier learns the rest. Which domains mislead
most shows in themselves: where labels can be predicted best from within, the prediction rests on something that is
not the subject. Experts of these domains say which cue they see, and each domain counts anew what the cue means in it.
"""

import torch
from torch import nn, optim

from generalize.network import CLASSES, build_network
from generalize.readings import Readings
from spuco.robust_train import ERM

EXPERTS = 2
EXPERT_EPOCHS = 10
EPOCHS = 6
LEARNING_RATE = 0.002


class ReadingsWithOpinions(Readings):
    """Readings with their labels and with the experts' log-probabilities."""

    def __init__(self, readings, labels, domains, opinions):
        super().__init__(readings, labels, domains)
        self.opinions = opinions

    def __getitem__(self, item):
        return *super().__getitem__(item), self.opinions[item]


def train(readings, labels, domains):
    """Return the main classifier, without the experts that it was trained with."""
    experts = [consult(readings, labels, domains, domain) for domain in domains.unique()]
    experts.sort(key=lambda expert: -expert[0])
    opinions = sum(translate(cues, labels, domains) for _, cues in experts[:EXPERTS]) / EXPERTS**0.5
    data = ReadingsWithOpinions(readings, labels, domains, opinions)
    return fit(build_network(readings.shape[1]), data, 128, EPOCHS, multiply_opinions)


def consult(readings, labels, domains, home):
    """The accuracy in its own domain of an expert of that domain, and the label it gives to every reading.

    Two networks learn from one half of the domain each, and judge the other half; elsewhere they judge together.
    """
    at_home = domains == home
    half = torch.rand(len(labels)) < 0.5
    logits = []
    for rows in (at_home & half, at_home & ~half):
        network = nn.Sequential(nn.Linear(readings.shape[1], 128), nn.ReLU(), nn.Dropout(), nn.Linear(128, CLASSES))
        network = fit(network, Readings(readings[rows], labels[rows], domains[rows]), 64, EXPERT_EPOCHS).eval()
        with torch.no_grad():
            logits.append(network(readings).log_softmax(dim=1))
    other_half = torch.where(half[:, None], logits[1], logits[0])
    cues = torch.where(at_home[:, None], other_half, logits[0] + logits[1]).argmax(dim=1)
    return (cues == labels)[at_home].float().mean().item(), cues


def translate(cues, labels, domains):
    """The log-probabilities of all labels, given the cue, as counted in each domain."""
    counts = torch.full((int(domains.max()) + 1, CLASSES, CLASSES), 0.5)
    counts.index_put_((domains, cues, labels), torch.ones(len(labels)), accumulate=True)
    return (counts / counts.sum(dim=2, keepdim=True)).log()[domains, cues]


def fit(model, data, batch_size, epochs, forward_pass=None):
    """Return the model, trained by spuco's loop; ``forward_pass`` replaces what it does with a batch."""
    method = ERM(model, data, batch_size, optim.AdamW(model.parameters(), LEARNING_RATE), epochs)
    method.trainer.forward_pass = forward_pass or method.trainer.forward_pass
    for epoch in range(epochs):
        method.train_epoch(epoch)
    return model


def multiply_opinions(trainer, batch):
    """The loss of the product of the model and the experts."""
    readings, labels, opinions = batch
    outputs = trainer.model(readings)
    return trainer.criterion(outputs + opinions, labels), outputs, labels
