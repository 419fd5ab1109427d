"""Random views of images: crops, mirrored or not, in other colours; a whole batch at a time, on its device.

lightly's own transforms work on one Pillow image after the other and need torchvision.
"""

import math

import torch
from torch.nn.functional import affine_grid, grid_sample

SMALLEST_CROP = 0.2
STRETCH = 4 / 3
JITTERED = 0.8
BRIGHTNESS = 0.4
CONTRAST = 0.4
SATURATION = 0.4
HUE = 0.1
GREY = 0.2
MEAN = (0.4914, 0.4822, 0.4465)
SPREAD = (0.247, 0.2435, 0.2616)
LUMINANCE = (0.299, 0.587, 0.114)


def random_view(images):
    """Return another view of each of [n, 3, side, side] images."""
    views = crop_and_mirror(images)
    views = where(uniform(views, 0, 1) < JITTERED, jitter_colours(views), views)
    return normalise(where(uniform(views, 0, 1) < GREY, to_grey(views).expand_as(views), views))


def normalise(images):
    """Numbers between 0 and 1 become numbers around 0."""
    mean, spread = (images.new_tensor(values).view(3, 1, 1) for values in (MEAN, SPREAD))
    return (images - mean) / spread


def crop_and_mirror(images):
    """Cut out a part with a share of the area between SMALLEST_CROP and 1, enlarge it, and mirror every other one."""
    side = uniform(images, SMALLEST_CROP, 1).sqrt()
    stretch = uniform(images, -math.log(STRETCH) / 2, math.log(STRETCH) / 2).exp()
    width, height = (side * stretch).clamp(max=1), (side / stretch).clamp(max=1)
    transforms = images.new_zeros(len(images), 2, 3)
    transforms[:, 0, 0] = where(uniform(images, 0, 1) < 0.5, -width, width)
    transforms[:, 1, 1] = height
    transforms[:, 0, 2] = (1 - width) * uniform(images, -1, 1)
    transforms[:, 1, 2] = (1 - height) * uniform(images, -1, 1)
    grid = affine_grid(transforms, list(images.shape), align_corners=False)
    return grid_sample(images, grid, padding_mode="reflection", align_corners=False)


def jitter_colours(images):
    """Change brightness, contrast, saturation and hue of each image."""
    images = scale(images, torch.zeros_like(images), BRIGHTNESS)
    images = scale(images, to_grey(images).mean(dim=(2, 3), keepdim=True), CONTRAST)
    return turn_hue(scale(images, to_grey(images), SATURATION))


def scale(images, origin, strength):
    """Move each image away from its origin or towards it, by a random factor."""
    factors = uniform(images, 1 - strength, 1 + strength).view(-1, 1, 1, 1)
    return (origin + (images - origin) * factors).clamp(0, 1)


def turn_hue(images):
    """Turn the colours of each image around the axis of greys, by a random part of a whole turn up to HUE."""
    angles = uniform(images, -HUE, HUE) * 2 * math.pi
    along, across = angles.cos().view(-1, 1, 1), angles.sin().view(-1, 1, 1) / math.sqrt(3)
    axis = images.new_tensor([[0, -1, 1], [1, 0, -1], [-1, 1, 0]])
    identity, grey = torch.eye(3, device=images.device), images.new_full((3, 3), 1 / 3)
    turns = along * identity + (1 - along) * grey + across * axis
    return torch.einsum("nij,njhw->nihw", turns, images).clamp(0, 1)


def to_grey(images):
    """Luminance, [n, 1, side, side]."""
    return (images * images.new_tensor(LUMINANCE).view(3, 1, 1)).sum(dim=1, keepdim=True)


def uniform(images, low, high):
    """A random number for each image, on the images' device."""
    return images.new_empty(len(images)).uniform_(low, high)


def where(chosen, these, others):
    """Choose image by image."""
    return torch.where(chosen.view(-1, *[1] * (these.dim() - 1)), these, others)
