"""One Gaussian process per realisation, with factors that all of them share and that the evidence of all chooses.

Alaa and van der Schaar (2017), "Bayesian inference of individualized treatment effects using multi-task Gaussian
processes", put one prior over both potential outcomes and choose it by the evidence. Snelson and Ghahramani (2006),
"Variable noise and dimensionality reduction for sparse Gaussian processes", learn a projection of the covariates by
the evidence. Here the projection is common to all realisations, so it is learned from all of their units.
"""

import torch

from effects.factors import find_factors

FACTORS = 16
RIDGE = 60.0
STEPS = 36
STEP_SIZE = 0.15
DIRECTION_STEP_SIZE = 0.04
RELEVANCE = 0.5
"""The inverse length scale of a factor before the data say otherwise."""
HEIGHTS = (0.0, -1.0, -1.0, -1.5, -0.5, -2.0)
"""Logarithms: smooth and linear part of the common function, the same of the effect, average effect, noise."""
LEAST_NOISE = 0.005


def train(covariates, treatment, outcomes):
    """Return the fitted processes."""
    directions = find_factors(covariates, treatment, outcomes, FACTORS, RIDGE)
    return Processes(directions, covariates, treatment).maximise_evidence(outcomes)


class Processes:
    """Outcomes = common function + (treatment - 1/2) x effect + noise, in every realisation."""

    def __init__(self, directions, covariates, treatment):
        realisations = len(covariates)
        self.covariates, self.contrast = covariates, treatment - 0.5
        self.directions = directions.clone().requires_grad_()
        relevance = torch.tensor(RELEVANCE).log()
        self.relevance = relevance.expand(2, realisations, 1, directions.shape[1]).clone().requires_grad_()
        self.heights = torch.tensor(HEIGHTS)[:, None, None, None].repeat(1, realisations, 1, 1).requires_grad_()

    def maximise_evidence(self, outcomes):
        """Climb the evidence of all realisations together, then weigh the units."""
        own = {"params": [self.relevance, self.heights], "lr": STEP_SIZE}
        common = {"params": [self.directions], "lr": DIRECTION_STEP_SIZE}
        optimizer = torch.optim.Adam([own, common])
        schedule = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.1, total_iters=STEPS)
        start = self.relevance.detach().clone(), self.heights.detach().clone()
        for _ in range(STEPS):
            covariance = self.covariance()
            _, slope = solve(covariance.detach(), outcomes)
            optimizer.zero_grad()
            covariance.backward(slope)
            # Priors: most factors matter little, and nothing is far from where it began.
            self.relevance.grad += 0.2 * (self.relevance.detach() - start[0]) + 0.5 * self.relevance.detach().exp()
            self.heights.grad += 0.2 * (self.heights.detach() - start[1])
            optimizer.step()
            schedule.step()
        for name in ("relevance", "heights", "directions"):
            setattr(self, name, getattr(self, name).detach())
        weights, _ = solve(self.covariance(), outcomes)
        self.weights = self.contrast * weights
        return self

    def covariance(self):
        """The covariance of all outcomes of each realisation, noise included."""
        factors, heights = self.covariates @ self.directions, self.heights.exp()
        common = 1 + kernel(factors, factors, self.relevance[0], heights[0], heights[1])
        effect = heights[4] + kernel(factors, factors, self.relevance[1], heights[2], heights[3])
        noise = (LEAST_NOISE + heights[5]) * torch.eye(factors.shape[1])
        return common + effect * self.contrast[:, :, None] * self.contrast[:, None] + noise

    def predict(self, number, covariates):
        """The expected effect in one realisation."""
        asked, seen, heights = (
            covariates @ self.directions,
            self.covariates[number] @ self.directions,
            self.heights.exp(),
        )
        similarity = kernel(asked, seen, self.relevance[1, number], heights[2, number], heights[3, number])
        return (heights[4, number] + similarity) @ self.weights[number]


def kernel(left, right, relevance, smooth, linear):
    """A Gaussian and a linear kernel between rows of factors."""
    left, right = left * relevance.exp(), right * relevance.exp()
    products = left @ right.mT
    distances = left.square().sum(-1)[..., :, None] + right.square().sum(-1)[..., None, :] - 2 * products
    return smooth * torch.exp(-distances.clamp(min=0) / 2) + linear * products


@torch.no_grad()
def solve(covariance, outcomes):
    """The weights of the units, and the slope of minus the log evidence in the covariance."""
    inverse = torch.cholesky_inverse(torch.linalg.cholesky(covariance))
    weights = inverse @ outcomes[:, :, None]
    return weights[:, :, 0], (inverse - weights @ weights.mT) / 2
