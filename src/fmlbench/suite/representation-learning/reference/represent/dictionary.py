"""A dictionary of image patches, learned by k-means, and how it describes an image.

Coates, Ng and Lee (2011), "An analysis of single-layer networks in unsupervised feature learning": whitened patches,
k-means, and pooling over the quarters of an image. Coates and Ng (2011), "The importance of encoding versus training
with sparse coding and vector quantization": a soft threshold, with a feature for either sign, encodes well.
"""

import torch
from torch import nn
from torch.nn.functional import adaptive_avg_pool2d, normalize, unfold

SIDE = 4
WORDS = 120
THRESHOLD = 0.25
REGIONS = 2
PATCHES = 40_000
ROUNDS = 8
FLAT = 0.01
"""Added to the variance of a patch, so that noise on flat ones stays small."""
WHITENING = 0.1


class Dictionary(nn.Module):
    """Describes an image by the principal components of how its patches respond to the words of a dictionary."""

    def __init__(self, images, features):
        super().__init__()
        patches = draw_patches(images)
        mean, whitening = whiten(patches)
        words = find_words((patches - mean) @ whitening)
        self.weights = whitening @ words.T
        self.offsets = mean @ self.weights
        responses = self.respond(images)
        self.mean = responses.mean(dim=0)
        self.components = torch.linalg.eigh(torch.cov(responses.T))[1][:, -features:].flip(1)

    def forward(self, images):
        return (self.respond(images) - self.mean) @ self.components

    def respond(self, images):
        """Mean responses of every word, of either sign, in the regions of each image."""
        return torch.cat([self.respond_to_both(batch) for batch in images.split(50)])

    def respond_to_both(self, images):
        """The same for a few images: those to an image and to its mirror image, averaged."""
        return ((self.respond_to(images) + self.respond_to(images.flip(3))) / 2).sqrt()

    def respond_to(self, images):
        """The same for these images alone, before the root is taken."""
        patches = contrast(unfold(images, SIDE).transpose(1, 2))
        positive = patches @ self.weights - self.offsets
        responses = torch.cat([positive, -positive], dim=2).sub_(THRESHOLD).clamp_(min=0)
        places = images.shape[2] - SIDE + 1
        maps = responses.transpose(1, 2).unflatten(2, (places, places))
        return adaptive_avg_pool2d(maps, REGIONS).flatten(1)


def draw_patches(images):
    """Patches from random places of random images, [n, 3 * SIDE * SIDE]."""
    chosen = images[torch.randint(len(images), (PATCHES // 10,))]
    patches = unfold(chosen, SIDE).transpose(1, 2)
    places = torch.randint(patches.shape[1], (len(chosen), 10))
    return contrast(patches.gather(1, places.unsqueeze(2).expand(-1, -1, patches.shape[2])).flatten(0, 1))


def contrast(patches):
    """Take the mean from each patch and bring all to about the same contrast."""
    patches = patches - patches.mean(dim=-1, keepdim=True)
    return patches / (patches.var(dim=-1, keepdim=True) + FLAT).sqrt()


def whiten(patches):
    """The mean, and the matrix that makes pixels uncorrelated while changing patches as little as possible (ZCA)."""
    values, vectors = torch.linalg.eigh(torch.cov(patches.T))
    return patches.mean(dim=0), vectors * (values + WHITENING).rsqrt() @ vectors.T


def find_words(patches):
    """Spherical k-means: directions such that every patch lies close to one of them, or to its opposite."""
    words = normalize(torch.randn(WORDS, patches.shape[1]), dim=1)
    for _ in range(ROUNDS):
        similarities = patches @ words.T
        nearest = similarities.abs().argmax(dim=1)
        weighted = patches * similarities.gather(1, nearest.unsqueeze(1))
        words = normalize(words + torch.zeros_like(words).index_add_(0, nearest, weighted), dim=1)
    return words
