"""The network that is trained."""

from spuco.models import MLP, SpuCoModel

CLASSES = 10


def build_network(size):
    """spuco's perceptron for readings of ``size`` numbers: a backbone with 256 features, and a linear classifier."""
    backbone = MLP(size)
    return SpuCoModel(backbone, backbone.representation_dim, CLASSES)
