"""Keep examples whose labels are confirmed, judge all again by a network trained on these, and relabel the rest."""

import numpy as np
import torch
from torch import nn, optim

from art.defences.preprocessor import Mixup
from art.defences.trainer import DPInstaHideTrainer
from art.estimators.classification import PyTorchClassifier
from art.utils import to_categorical
from robust.judging import judge
from robust.network import build_network

ROUNDS = 2
EPOCHS = 15
BATCH_SIZE = 128
LEARNING_RATE = 0.003
NOISE_SCALE = 0.5
SURE = 0.6
"""Contradicted examples come back with the network's label if it is at least so sure."""


def train(vectors, labels):
    """Return a classifier trained on those of [n, readings] vectors whose labels are confirmed or replaced."""
    kept = judge(vectors, labels) == labels
    for _ in range(ROUNDS):
        print(f"{kept.mean():.1%} of the labels are confirmed", flush=True)
        chances = predict(fit(vectors[kept], labels[kept], int(labels.max()) + 1), vectors)
        found = chances.argmax(axis=1)
        kept = found == labels
    kept |= chances.max(axis=1) > SURE
    print(f"{kept.mean():.1%} of the examples are used in the end", flush=True)
    return fit(vectors[kept], found[kept], int(labels.max()) + 1)


def predict(network, vectors):
    """The network's probability of every label."""
    with torch.no_grad():
        return network(torch.from_numpy(vectors)).softmax(dim=1).numpy()


def fit(vectors, labels, classes):
    """Train with the baseline's method."""
    network = build_network(vectors.shape[1], classes)
    classifier = PyTorchClassifier(
        network,
        loss=nn.CrossEntropyLoss(),
        optimizer=optim.Adam(network.parameters(), lr=LEARNING_RATE),
        input_shape=(vectors.shape[1],),
        nb_classes=classes,
        device_type="cpu",
    )
    unbounded = (-np.inf, np.inf)
    trainer = DPInstaHideTrainer(classifier, augmentations=Mixup(classes), scale=NOISE_SCALE, clip_values=unbounded)
    trainer.fit(vectors, to_categorical(labels, classes), batch_size=BATCH_SIZE, nb_epochs=EPOCHS)
    return classifier.model.eval()
