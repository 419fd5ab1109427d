"""Batches of images that are on the device already, in the shape of a loader that Privacy Meter's trainer takes."""

import math

import torch

BATCH = 256


class Batches:
    """All images with their labels, in another order every time, some at a time."""

    def __init__(self, images, labels):
        self.dataset, self.labels = images, labels

    def __len__(self):
        return math.ceil(len(self.dataset) / BATCH)

    def __iter__(self):
        # The dice are the CPU's, so that a seed means the same batches on every device.
        for rows in torch.randperm(len(self.dataset)).to(self.dataset.device).split(BATCH):
            yield self.dataset[rows], self.labels[rows]
