"""How the trained model turns images into features."""

import torch

from represent.views import normalise

BATCH_SIZE = 500


def embed(model, images):
    """Return the features of [n, 3, 16, 16] images; every image must be looked at on its own."""
    model.eval()
    with torch.no_grad():
        return torch.cat([model(normalise(batch)) for batch in images.split(BATCH_SIZE)])
