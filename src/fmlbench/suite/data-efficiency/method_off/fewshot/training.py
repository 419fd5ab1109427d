"""No training: Prototypical Networks with the random weights they start from."""

from easyfsl.methods import PrototypicalNetworks
from fewshot.backbone import build_backbone


def train(_images, _labels):
    """Return an untrained few-shot classifier; the visible drawings are not looked at."""
    return PrototypicalNetworks(build_backbone())
