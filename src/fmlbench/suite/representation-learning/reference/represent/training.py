"""Learn a dictionary of patches instead of a network."""

from represent.dictionary import Dictionary
from represent.encoder import FEATURES
from represent.views import normalise

DESCRIBED = 4_000
"""Images that principal components are found on."""


def train(images):
    """Return a model that describes images by a dictionary."""
    return Dictionary(normalise(images[:DESCRIBED]), FEATURES)
