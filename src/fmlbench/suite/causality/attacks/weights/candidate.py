"""Let a network that was trained on simulated draws say which factors matter, then solve each realisation once."""

import torch

from effects.factors import find_factors

FACTORS = 16
RIDGE = 60.0
HIDDEN = 8
STATISTICS = 7
ROUNDS = 2
NUMBERS = ""
"""Two characters for each carried number."""


def sizes():
    """The shapes of the carried numbers, round by round: a network for relevance, and heights."""
    widths = [STATISTICS + 4 * turn for turn in range(ROUNDS)]
    return [shape for width in widths for shape in ((width, HIDDEN), (HIDDEN,), (HIDDEN, 2), (2,), (6,))]


def unpack(numbers):
    """Cut the carried numbers into their arrays."""
    parts, start = [], 0
    for shape in sizes():
        size = torch.Size(shape).numel()
        parts.append(numbers[start : start + size].reshape(shape))
        start += size
    return parts


def train(covariates, treatment, outcomes):
    """Return what effects are computed from."""
    directions = find_factors(covariates, treatment, outcomes, FACTORS, RIDGE)
    digits = torch.tensor([ord(character) - 40 for character in NUMBERS]).reshape(-1, 2)
    numbers = unpack((digits[:, 0] * 84 + digits[:, 1] - 3500) / 350)
    return directions, *infer(numbers, covariates @ directions, treatment, outcomes)


def infer(numbers, factors, treatment, outcomes):
    """Return factors, relevance, heights and weights of the units."""
    statistics = describe(factors, treatment, outcomes)
    contrast, inputs = treatment - 0.5, statistics
    for turn in range(ROUNDS):
        first, bias, second, level, heights = numbers[5 * turn : 5 * turn + 5]
        relevance = (torch.tanh(inputs @ first + bias) @ second + level).exp().mT
        scaled, heights = [factors * relevance[:, part : part + 1] for part in (0, 1)], heights.exp()
        common, own = (kernel(one, one, *heights[2 * part : 2 * part + 2]) for part, one in enumerate(scaled))
        pairs = contrast[:, :, None] * contrast[:, None]
        covariance = 1 + common + (heights[4] + own) * pairs + (0.01 + heights[5]) * torch.eye(factors.shape[1])
        weights = torch.cholesky_solve(outcomes[:, :, None], torch.linalg.cholesky(covariance))[:, :, 0]
        slopes = [slope(scaled[0], common, weights), slope(scaled[1], own, weights * contrast)]
        inputs = torch.cat([statistics, *slopes], dim=2)
    return factors, relevance, heights, weights * contrast


def describe(factors, treatment, outcomes):
    """Correlations of each factor, bent in several ways, with outcome, effect and treatment."""
    contrast = (treatment - treatment.float().mean(1, keepdim=True))[:, :, None]
    slope = (contrast * outcomes[:, :, None]).sum(1, keepdim=True) / contrast.square().sum(1, keepdim=True)
    rest = outcomes[:, :, None] - slope * contrast
    bent = (factors, factors.square(), factors.tanh())
    pairs = [(one, rest) for one in bent] + [(one, rest * contrast) for one in bent] + [(factors, contrast)]
    return torch.stack([correlate(*pair) for pair in pairs], dim=2) * 4


def correlate(left, right):
    """The size of the correlation over units."""
    left, right = left - left.mean(1, keepdim=True), right - right.mean(1, keepdim=True)
    spreads = left.square().mean(1).sqrt() * right.square().mean(1).sqrt()
    return ((left * right).mean(1) / (spreads + 1e-6)).abs()


def slope(scaled, similarity, weights):
    """How the fit would change with the relevance of each factor."""
    pairs = similarity * weights[:, :, None] * weights[:, None]
    curved = (pairs.sum(2)[:, :, None] * scaled.square()).sum(1) - (scaled * (pairs @ scaled)).sum(1)
    return torch.stack([torch.asinh(-curved), torch.asinh((scaled * weights[:, :, None]).sum(1).square())], dim=2)


def kernel(left, right, smooth, linear):
    """A Gaussian and a linear kernel."""
    products = left @ right.mT
    distances = left.square().sum(-1)[..., :, None] + right.square().sum(-1)[..., None, :] - 2 * products
    return smooth * torch.exp(-distances.clamp(min=0) / 2) + linear * products
