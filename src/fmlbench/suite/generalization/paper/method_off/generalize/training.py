"""No training: the algorithm's network with the random weights it starts from."""

from generalize.algorithm import build_algorithm


def train(images, _labels, domains, _steps):
    """Return an untrained classifier; of the visible pictures only the shape is looked at."""
    return build_algorithm(images.shape[1:], len(domains.unique())).to(images.device)
