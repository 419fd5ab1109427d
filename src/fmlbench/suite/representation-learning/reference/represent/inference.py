"""How the trained model turns vectors into features."""

from torch import nn, triu_indices


def expand(vectors):
    """All products of two numbers of a vector that was scaled to unit length.

    They do not change with the vector's sign and length, which differ between the views of a picture.
    """
    scaled = nn.functional.normalize(vectors) * vectors.shape[1] ** 0.5
    rows, columns = triu_indices(vectors.shape[1], vectors.shape[1])
    return scaled[:, rows] * scaled[:, columns]


def embed(model, vectors):
    """Project quadratic features on the learned directions."""
    mean, directions = model
    return (expand(vectors) - mean) @ directions
