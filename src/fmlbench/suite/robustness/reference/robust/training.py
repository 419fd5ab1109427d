"""Leave out the clusters of pictures whose label is contradicted from outside, and train DP-InstaHide on the others."""

import torch
from torch import nn, optim

from art.defences.preprocessor import Mixup
from art.defences.trainer import DPInstaHideTrainer
from art.estimators.classification import PyTorchClassifier
from art.utils import to_categorical
from robust.filtering import cluster_labels, contradicted_by, contradicted_by_neighbours
from robust.network import CLASSES, build_network

JUDGE_EPOCHS = 5
EPOCHS = 10
BATCH_SIZE = 64
LEARNING_RATE = 0.002
NOISE = 0.3


def train(images, labels):
    """Return a classifier trained on those of [n, 1, 20, 20] pictures and [n] labels that pass for clean."""
    pictures, told = torch.from_numpy(images).flatten(1), torch.from_numpy(labels)
    clusters = cluster_labels(pictures, told)
    kept = ~contradicted_by_neighbours(pictures, told, clusters).numpy()
    print(f"{kept.mean():.1%} of the pictures are left by their neighbours", flush=True)
    predictions = fit(images[kept], labels[kept], JUDGE_EPOCHS).predict(images).argmax(axis=1)
    kept = ~contradicted_by(torch.from_numpy(predictions), told, clusters).numpy()
    print(f"{kept.mean():.1%} of the pictures are left by the network", flush=True)
    return fit(images[kept], labels[kept], EPOCHS).model


def fit(images, labels, epochs):
    """Train with the baseline's method."""
    network = build_network()
    classifier = PyTorchClassifier(
        network,
        loss=nn.CrossEntropyLoss(),
        optimizer=optim.Adam(network.parameters(), lr=LEARNING_RATE),
        input_shape=(1, 20, 20),
        nb_classes=CLASSES,
        clip_values=(0.0, 1.0),
        device_type="cpu",
    )
    trainer = DPInstaHideTrainer(classifier, augmentations=Mixup(CLASSES), scale=NOISE)
    trainer.fit(images, to_categorical(labels, CLASSES), batch_size=BATCH_SIZE, nb_epochs=epochs)
    return classifier
