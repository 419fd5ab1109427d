"""What a network reveals about its members, measured without other data."""

from privacy_meter.model import PytorchModelTensor
from torch import nn


def report_exposure(network, vectors, labels):
    """Print the loss on the members and how sure the network is of them, by Privacy Meter's signals."""
    signals = PytorchModelTensor(network, nn.CrossEntropyLoss(), batch_size=1000)
    loss = signals.get_loss(vectors, labels)
    margin = signals.get_rescaled_logits(vectors, labels)
    print(f"members: loss {loss.mean():.3f}, {(margin > 0).mean():.1%} likely right, margin {margin.mean():.2f}")
