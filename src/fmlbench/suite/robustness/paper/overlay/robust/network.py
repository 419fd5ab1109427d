"""The network that is trained, and how the toolbox wraps it."""

from torch import nn, optim

from art.estimators.classification import PyTorchClassifier

CLASSES = 10
LEARNING_RATE = 0.001


def build_network():
    """Two convolutions and two linear layers with dropout, for [n, 1, 20, 20] pictures."""
    return nn.Sequential(
        nn.Conv2d(1, 32, kernel_size=3),
        nn.ReLU(),
        nn.Conv2d(32, 64, kernel_size=3),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Dropout(0.25),
        nn.Flatten(),
        nn.Linear(64 * 8 * 8, 128),
        nn.ReLU(),
        nn.Dropout(0.5),
        nn.Linear(128, CLASSES),
    )


def build_classifier(device):
    """A new network with its loss and optimiser, on the device."""
    network = build_network()
    return PyTorchClassifier(
        network,
        loss=nn.CrossEntropyLoss(),
        optimizer=optim.Adam(network.parameters(), lr=LEARNING_RATE),
        input_shape=(1, 20, 20),
        nb_classes=CLASSES,
        clip_values=(0.0, 1.0),
        device_type="cpu" if device == "cpu" else "gpu",
    )
