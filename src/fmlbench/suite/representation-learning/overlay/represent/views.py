"""Random views of images: crops, mirrored or not, in other colours; a whole batch at a time, as tensors.

lightly's own transforms work on one Pillow image after the other and need torchvision.
"""

import torch
from torch.nn.functional import affine_grid, grid_sample

SMALLEST_CROP = 0.3
BRIGHTNESS = 0.4
CONTRAST = 0.4
SATURATION = 0.4
GREY = 0.2
MEAN = 0.47
SPREAD = 0.25


def random_view(images):
    """Return another view of each of [n, 3, side, side] images."""
    return normalise(drop_colour(jitter_colours(crop_and_mirror(images))))


def normalise(images):
    """Numbers between 0 and 1 become numbers around 0."""
    return (images - MEAN) / SPREAD


def crop_and_mirror(images):
    """Cut out a part with a share of the area between SMALLEST_CROP and 1, enlarge it, and mirror every other one."""
    count = len(images)
    side = torch.empty(count).uniform_(SMALLEST_CROP, 1).sqrt()
    stretch = torch.empty(count).uniform_(-0.15, 0.15).exp()
    width, height = (side * stretch).clamp(max=1), (side / stretch).clamp(max=1)
    transforms = torch.zeros(count, 2, 3)
    transforms[:, 0, 0] = torch.where(torch.rand(count) < 0.5, -width, width)
    transforms[:, 1, 1] = height
    transforms[:, 0, 2] = (1 - width) * torch.empty(count).uniform_(-1, 1)
    transforms[:, 1, 2] = (1 - height) * torch.empty(count).uniform_(-1, 1)
    grid = affine_grid(transforms, list(images.shape), align_corners=False)
    return grid_sample(images, grid, padding_mode="reflection", align_corners=False)


def jitter_colours(images):
    """Change brightness, contrast and saturation of each image."""
    images = images * factors(images, BRIGHTNESS)
    mean = images.mean(dim=(1, 2, 3), keepdim=True)
    images = mean + (images - mean) * factors(images, CONTRAST)
    grey = to_grey(images)
    return grey + (images - grey) * factors(images, SATURATION)


def drop_colour(images):
    """Take the colour from a share of the images."""
    without = torch.rand(len(images), 1, 1, 1) < GREY
    return torch.where(without, to_grey(images), images)


def factors(images, strength):
    """A random factor around 1 for each image."""
    return torch.empty(len(images), 1, 1, 1).uniform_(1 - strength, 1 + strength)


def to_grey(images):
    """Luminance, [n, 1, side, side]."""
    red, green, blue = images.split(1, dim=1)
    return 0.299 * red + 0.587 * green + 0.114 * blue
