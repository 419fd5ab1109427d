"""Fit a Gaussian process to every realisation: what the arms share, what each has of its own, which covariates matter.

Alaa and van der Schaar (2017), "Bayesian inference of individualized treatment effects using multi-task Gaussian
processes", put one prior over both potential outcomes and choose it by the evidence; Hahn, Murray and Carvalho (2020),
"Bayesian regression tree models for causal inference", give the effect a prior of its own; relevance of covariates is
determined as in Neal (1996), "Bayesian learning for neural networks".
"""

import torch

STEPS = 25
STEP_SIZE = 0.15
LENGTH = 5.0
"""The length scale that a covariate has before the data say otherwise."""
LEAST_NOISE = 0.01
"""Keeps the covariance well conditioned in single precision."""


def train(covariates, treatment, outcomes):
    """Return a fitted process for each realisation."""
    return [Process(x, w, y) for x, w, y in zip(covariates, treatment, outcomes, strict=True)]


class Process:
    """Outcomes = a common function + a function for each arm + noise."""

    def __init__(self, covariates, treatment, outcomes):
        self.scale = covariates.mean(dim=0), covariates.std(dim=0).clamp(min=0.3)
        self.inputs = (covariates - self.scale[0]) / self.scale[1]
        self.arms = torch.stack([1.0 - treatment, treatment.float()])
        self.lengths = torch.full((2, covariates.shape[1]), LENGTH).log().requires_grad_()
        # Linear and smooth parts of the common function and of the two arms' own, on a log scale.
        self.heights = torch.tensor([[-1.0, 0.0], [-1.5, -1.5], [-1.5, -1.5]], requires_grad=True)
        self.noise = torch.tensor(-2.0, requires_grad=True)
        self.maximise_evidence(outcomes)

    def maximise_evidence(self, outcomes):
        """Choose length scales, heights and noise by gradient ascent, then weigh the units."""
        parameters = [self.lengths, self.heights, self.noise]
        optimizer = torch.optim.Adam(parameters, lr=STEP_SIZE)
        for _ in range(STEPS):
            covariance = self.covariance()
            _, slope = self.solve(covariance.detach(), outcomes)
            optimizer.zero_grad()
            covariance.backward(slope)
            # A prior on length scales: a factor of e costs a quarter of a nat.
            self.lengths.grad += 0.5 * (self.lengths.detach() - torch.tensor(LENGTH).log())
            optimizer.step()
        with torch.no_grad():
            self.weights, _ = self.solve(self.covariance(), outcomes)
        for parameter in parameters:
            parameter.requires_grad_(False)

    def covariance(self):
        """The covariance of all outcomes, noise included."""
        common = self.kernel(self.inputs, 0, 0)
        own = sum(self.kernel(self.inputs, 1, 1 + arm) * torch.outer(here, here) for arm, here in enumerate(self.arms))
        return common + own + (LEAST_NOISE + self.noise.exp()) * torch.eye(len(self.inputs))

    def kernel(self, inputs, lengths, heights):
        """A constant, a linear and a Gaussian kernel between ``inputs`` and the training units."""
        left, right = inputs / self.lengths[lengths].exp(), self.inputs / self.lengths[lengths].exp()
        products = left @ right.T
        distances = left.square().sum(1)[:, None] + right.square().sum(1)[None] - 2 * products
        linear, smooth = self.heights[heights].exp()
        return 1.0 + linear * products + smooth * torch.exp(-distances.clamp(min=0) / 2)

    def solve(self, covariance, outcomes):
        """The weights of the training units, and the slope of minus the log evidence in the covariance."""
        inverse = torch.cholesky_inverse(torch.linalg.cholesky(covariance))
        weights = inverse @ outcomes
        return weights, (inverse - torch.outer(weights, weights)) / 2

    def predict(self, covariates):
        """The expected difference between the arms."""
        inputs = (covariates - self.scale[0]) / self.scale[1]
        untreated, treated = (
            self.kernel(inputs, 1, 1 + arm) @ (here * self.weights) for arm, here in enumerate(self.arms)
        )
        return treated - untreated
