"""Judge all labels in rounds, relabel, and train an ensemble on vectors with estimated effects of triggers added."""

import numpy as np
import torch
from torch import nn, optim

from art.defences.preprocessor import Mixup
from art.defences.trainer import DPInstaHideTrainer
from art.estimators.classification import PyTorchClassifier
from art.utils import to_categorical
from robust.filtering import confirmed_by_neighbours
from robust.judging import judge
from robust.network import build_network
from robust.shifting import Shift, estimate_shifts

ROUNDS = 2
MEMBERS = 3
EPOCHS = 12
BATCH_SIZE = 128
LEARNING_RATE = 0.003
NOISE_SCALE = 0.5
SURE = 0.6
"""Contradicted examples come back with the network's label if it is at least so sure."""


def train(vectors, labels):
    """Return an ensemble trained on those of [n, readings] vectors whose labels are confirmed or replaced."""
    classes = int(labels.max()) + 1
    kept = confirmed_by_neighbours(vectors, labels) & (judge(vectors, labels) == labels)
    for _ in range(ROUNDS):
        print(f"{kept.mean():.1%} of the labels are confirmed", flush=True)
        judge_network = fit(vectors[kept], labels[kept], classes, [])
        with torch.no_grad():
            chances = judge_network(torch.from_numpy(vectors)).softmax(dim=1).numpy()
        found = chances.argmax(axis=1)
        kept = found == labels
    shift = Shift(estimate_shifts(vectors, labels, found))
    kept |= chances.max(axis=1) > SURE
    print(f"{kept.mean():.1%} of the examples are used in the end", flush=True)
    return Ensemble([fit(vectors[kept], found[kept], classes, [shift], 2 * EPOCHS) for _ in range(MEMBERS)])


class Ensemble(nn.Module):
    """The mean of several networks' probabilities."""

    def __init__(self, members):
        """Keep the members."""
        super().__init__()
        self.members = nn.ModuleList(members)

    def forward(self, vectors):
        """Return the mean probability of each label."""
        return torch.stack([member(vectors).softmax(dim=1) for member in self.members]).mean(dim=0)


def fit(vectors, labels, classes, augmentations, epochs=EPOCHS):
    """Train with the baseline's method, after other augmentations."""
    network = build_network(vectors.shape[1], classes)
    classifier = PyTorchClassifier(
        network,
        loss=nn.CrossEntropyLoss(),
        optimizer=optim.Adam(network.parameters(), lr=LEARNING_RATE),
        input_shape=(vectors.shape[1],),
        nb_classes=classes,
        device_type="cpu",
    )
    trainer = DPInstaHideTrainer(
        classifier,
        augmentations=[*augmentations, Mixup(classes)],
        scale=NOISE_SCALE,
        clip_values=(-np.inf, np.inf),
    )
    trainer.fit(vectors, to_categorical(labels, classes), batch_size=BATCH_SIZE, nb_epochs=epochs)
    return classifier.model.eval()
