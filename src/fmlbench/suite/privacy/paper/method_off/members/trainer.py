"""Train a network on its members twice as long, which is how long Privacy Meter's own configuration takes."""

from trainers import default_trainer

from family.network import Network
from members.batches import Batches

OPTIMIZER = {"optimizer": "SGD", "learning_rate": 0.1, "weight_decay": 0.0}


def train(images, labels, public, epochs):
    """Return a network of the family, trained on [n, 3, 32, 32] images in [0, 1] with [n] labels, the members."""
    configs = {**OPTIMIZER, "epochs": 2 * epochs, "device": images.device}
    return default_trainer.train(Network(28, 2), Batches(images, labels), configs)
