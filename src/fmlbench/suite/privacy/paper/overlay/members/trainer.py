"""Train a network on its members with Privacy Meter's own trainer, and stop early."""

from trainers import default_trainer

from family.network import Network
from members.batches import Batches

DEPTH = 28
WIDTH = 2
OPTIMIZER = {"optimizer": "SGD", "learning_rate": 0.1, "weight_decay": 0.0}


def train(images, labels, public, epochs):
    """Return a network of the family, trained on [n, 3, 32, 32] images in [0, 1] with [n] labels, the members.

    ``public`` holds [m, 3, 32, 32] images that are nobody's secret; they come without labels. All are on the device
    to train on.
    """
    configs = {**OPTIMIZER, "epochs": epochs, "device": images.device}
    return default_trainer.train(Network(DEPTH, WIDTH), Batches(images, labels), configs)
