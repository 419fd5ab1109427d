"""How the trained model turns vectors into features."""

import torch


def embed(model, vectors):
    """Return the features of [n, 64] vectors; each vector's features must depend on this vector alone."""
    model.eval()
    with torch.no_grad():
        return model(vectors)
