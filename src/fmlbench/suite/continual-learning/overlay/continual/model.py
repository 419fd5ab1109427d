"""The network that tells ten classes apart."""

from avalanche.models import SimpleMLP

HIDDEN = 32


def build_model():
    """One hidden layer and one head for all classes: [n, 1, 28, 28] images become [n, 10] scores."""
    return SimpleMLP(num_classes=10, hidden_size=HIDDEN, hidden_layers=1, drop_rate=0.0)
