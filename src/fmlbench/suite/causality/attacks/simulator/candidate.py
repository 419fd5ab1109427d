"""Solve each realisation with kernels on the trained network, whose constants were fitted to simulated draws."""

import torch

NUMBERS = []
"""Constants of the kernels, then how statistics of a realisation change them; logarithms, in hundredths."""
CONSTANTS = 14
STATISTICS = 6


def finish(net, covariates, treatment, outcomes):
    """Return what effects are computed from."""
    numbers = torch.tensor(NUMBERS) / 100
    views, scaling = describe(net, covariates)
    constants, weights = infer(numbers, views, treatment, outcomes)
    return {"net": net, "scaling": scaling, "views": views, "constants": constants, "weights": weights}


@torch.no_grad()
def describe(net, covariates, scaling=None):
    """Return factors and features of the network, on the scale of the training units."""
    views = net.describe(covariates)
    if scaling is None:
        flat = [view.flatten(0, 1) for view in views]
        scaling = [(one.mean(0), (one - one.mean(0)).square().sum(1).mean().sqrt()) for one in flat]
    return [(view - centre) / scale for view, (centre, scale) in zip(views, scaling, strict=True)], scaling


def infer(numbers, views, treatment, outcomes):
    """Return constants [14, realisations, 1, 1] and weights of the units."""
    contrast = treatment - 0.5
    change = numbers[CONSTANTS:].reshape(STATISTICS, CONSTANTS)
    logarithms = numbers[:CONSTANTS] + summarise(views[1], contrast, outcomes) @ change
    constants = logarithms.clamp(-6, 4).exp().T[:, :, None, None]
    effect = (constants[12] + kernel(views, views, constants[6:12])) * contrast[:, :, None] * contrast[:, None]
    noise = (0.01 + constants[13]) * torch.eye(outcomes.shape[1])
    covariance = 1 + kernel(views, views, constants[:6]) + effect + noise
    weights = torch.cholesky_solve(outcomes[:, :, None], torch.linalg.cholesky(covariance))[:, :, 0]
    return constants, weights * contrast


def kernel(left, right, constants):
    """A linear and a Gaussian kernel on factors and on features."""
    total = 0
    for one, other, (linear, smooth, scale) in zip(left, right, (constants[:3], constants[3:]), strict=True):
        products = one @ other.mT
        distances = one.square().sum(-1)[..., :, None] + other.square().sum(-1)[..., None, :] - 2 * products
        total = total + linear * products + smooth * torch.exp(-scale * distances.clamp(min=0))
    return total


@torch.no_grad()
def summarise(features, contrast, outcomes):
    """Statistics of each realisation: how well a generic fit does, its parts, share of treated, tails."""
    products = features @ features.mT
    pairs = contrast[:, :, None] * contrast[:, None]
    covariance = 1 + products + (0.6 + 0.3 * products) * pairs + 0.2 * torch.eye(outcomes.shape[1])
    weights = torch.cholesky_solve(outcomes[:, :, None], torch.linalg.cholesky(covariance))[:, :, 0]
    left, common = 0.2 * weights, (products @ weights[:, :, None])[:, :, 0]
    own = 0.3 * (products @ (weights * contrast)[:, :, None])[:, :, 0]
    level = 0.6 * (weights * contrast).sum(1).abs()
    tails = left.square().square().mean(1) / left.square().mean(1).square()
    spreads = [part.var(1).log() / 2 for part in (left, common, own)]
    return torch.stack(
        [spreads[0] + 1, spreads[1], spreads[2] + 1, level - 0.3, contrast.mean(1) * 4, tails.log() - 1], 1
    )
