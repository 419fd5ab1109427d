"""No training: Prototypical Networks with the random weights they start from."""

from easyfsl.methods import PrototypicalNetworks
from fewshot.backbone import build_backbone


def train(vectors, _labels):
    """Return an untrained few-shot classifier; of the visible vectors only their size is used."""
    return PrototypicalNetworks(build_backbone(vectors.shape[1]), feature_normalization=2.0)
