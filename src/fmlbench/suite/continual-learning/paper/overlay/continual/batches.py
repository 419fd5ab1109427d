"""Examples in the order of training."""

from itertools import count, islice

import torch

SIZE = 128


def batches(images, labels, iterations):
    """So many batches, pass after pass in a new order; what is left of a pass after its last whole batch is dropped.

    The dice are the CPU's, so that a seed means the same batches on every device.
    """
    size = min(SIZE, len(images))
    passes = (torch.randperm(len(images)).split(size) for _ in count())
    whole = (rows.to(images.device) for one in passes for rows in one if len(rows) == size)
    return ((images[rows], labels[rows]) for rows in islice(whole, iterations))
