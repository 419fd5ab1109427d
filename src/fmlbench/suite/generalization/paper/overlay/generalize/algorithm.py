"""Which of DomainBed's algorithms is trained, and with which numbers."""

from domainbed import algorithms, hparams_registry

ALGORITHM = "ERM"
HPARAMS = {}
"""What differs from DomainBed's defaults for its ColoredMNIST: learning rate 0.001, 64 pictures of each domain."""
CLASSES = 10


def build_algorithm(input_shape, num_domains):
    """The algorithm with a new network; for pictures of 28 x 28 pixels that is DomainBed's MNIST_CNN."""
    hparams = hparams_registry.default_hparams(ALGORITHM, "ColoredMNIST") | HPARAMS
    return algorithms.get_algorithm_class(ALGORITHM)(tuple(input_shape), CLASSES, num_domains, hparams)
