"""Batches in which every image is moved by some pixels at random, and every other one mirrored."""

import torch
from torch.nn import functional

from members.batches import Batches

SHIFT = 4


class Views(Batches):
    """Another view of every image each time."""

    def __iter__(self):
        for images, labels in super().__iter__():
            yield view(images), labels


def view(images):
    """Move and mirror each of [n, 3, side, side] images."""
    count, _, side, _ = images.shape
    wide = functional.pad(images, (SHIFT,) * 4, mode="reflect")
    corners = torch.randint(2 * SHIFT + 1, (2, count, 1)) + torch.arange(side)
    down, right = corners.to(images.device)
    right = torch.where(torch.rand(count, 1).to(images.device) < 0.5, right.flip(1), right)
    return wide[
        torch.arange(count, device=images.device)[:, None, None], :, down[:, :, None], right[:, None, :]
    ].permute(0, 3, 1, 2)
