"""Keep what trusted contributors sent, and train on mixtures with noise added (DP-InstaHide)."""

import numpy as np
from torch import nn, optim

from art.defences.preprocessor import Mixup
from art.defences.trainer import DPInstaHideTrainer
from art.estimators.classification import PyTorchClassifier
from art.utils import to_categorical
from robust.filtering import trusted
from robust.network import build_network

EPOCHS = 40
BATCH_SIZE = 128
LEARNING_RATE = 0.003
VECTORS_MIXED = 2
MIXING_ALPHA = 1.0
NOISE = "laplacian"
NOISE_SCALE = 0.8


def train(vectors, labels, sources):
    """Return a classifier trained on [n, readings] vectors, their [n] labels and the [n] contributors who sent them."""
    kept = trusted(vectors, labels, sources)
    print(f"{kept.mean():.1%} of the training vectors are kept", flush=True)
    return fit(vectors[kept], labels[kept], int(labels.max()) + 1)


def fit(vectors, labels, classes):
    """Train a network on mixtures of the vectors with noise added."""
    classifier = build_classifier(vectors.shape[1], classes)
    trainer = DPInstaHideTrainer(
        classifier,
        augmentations=Mixup(classes, alpha=MIXING_ALPHA, num_mix=VECTORS_MIXED),
        noise=NOISE,
        scale=NOISE_SCALE,
        clip_values=(-np.inf, np.inf),
    )
    trainer.fit(vectors, to_categorical(labels, classes), batch_size=BATCH_SIZE, nb_epochs=EPOCHS)
    return classifier.model


def build_classifier(readings, classes):
    """The network with its loss and optimiser, as the toolbox wants them."""
    network = build_network(readings, classes)
    return PyTorchClassifier(
        network,
        loss=nn.CrossEntropyLoss(),
        optimizer=optim.Adam(network.parameters(), lr=LEARNING_RATE),
        input_shape=(readings,),
        nb_classes=classes,
        device_type="cpu",
    )
