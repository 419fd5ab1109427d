"""The network that is trained."""

from spuco.models import LeNet, SpuCoModel

CLASSES = 10


def build_network():
    """LeNet for [n, 3, 28, 28] pictures: a backbone with 84 features, and a linear classifier."""
    backbone = LeNet(channel=3)
    return SpuCoModel(backbone, backbone.representation_dim, CLASSES)
