"""Fit a DragonNet with one representation for all realisations, then a Gaussian process on it for each of them."""

import torch

from effects.factors import find_factors
from effects.kernels import kernel, measure_scaling, rescale
from effects.network import SharedDragonNet

FACTORS = 12
RIDGE = 60.0
EPOCHS = 80
LEARNING_RATE = 1e-2
WEIGHT_DECAY = 0.1
HEAD_DECAY = 10.0
BATCH_SIZE = 25
LAYERS = 2
WIDTH = 64
PROPENSITY_WEIGHT = 0.2
NOISE = 0.2
OUTCOME_VARIANCES = (1.0, 0.4, 0.7, 0.3)
"""Linear and Gaussian part on factors, then on the representation, of the outcome without treatment."""
EFFECT_VARIANCES = (0.1, 0.15, 0.17, 0.06)
"""The same of the effect."""
AVERAGE_EFFECT_VARIANCE = 0.15


def train(covariates, treatment, outcomes):
    """Return the model of all realisations.

    ``covariates`` are [realisations, units, covariates], ``treatment`` and ``outcomes`` [realisations, units].
    """
    directions = find_factors(covariates, treatment, outcomes, FACTORS, RIDGE)
    net = SharedDragonNet(directions, len(covariates), LAYERS, WIDTH)
    fit(net, covariates, treatment, outcomes)
    return finish(net, covariates, treatment, outcomes)


def fit(net, covariates, treatment, outcomes):
    """Train representation and heads together; a batch holds some units of every realisation."""
    heads = [net.heads, net.levels]
    others = [net.directions, *net.representation.parameters()]
    groups = [{"params": others, "weight_decay": WEIGHT_DECAY}, {"params": heads, "weight_decay": HEAD_DECAY}]
    optimizer = torch.optim.AdamW(groups, lr=LEARNING_RATE)
    batches = max(1, covariates.shape[1] // BATCH_SIZE)
    schedule = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.02, total_iters=EPOCHS * batches)
    for epoch in range(EPOCHS):
        for some in torch.randperm(covariates.shape[1]).chunk(batches):
            loss = net.loss(covariates[:, some], treatment[:, some], outcomes[:, some], PROPENSITY_WEIGHT)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
        if epoch % 10 == 9:
            print(f"epoch {epoch + 1}: loss {loss.item() / len(covariates):.3f}", flush=True)


@torch.no_grad()
def finish(net, covariates, treatment, outcomes):
    """Replace the heads by a Gaussian process for each realisation; effects vary less than outcomes."""
    scaling = measure_scaling(net.describe(covariates))
    views = rescale(net.describe(covariates), scaling)
    contrast = treatment - 0.5
    effect = AVERAGE_EFFECT_VARIANCE + kernel(views, views, EFFECT_VARIANCES)
    covariance = 1 + kernel(views, views, OUTCOME_VARIANCES) + effect * contrast[:, :, None] * contrast[:, None]
    weights = contrast * torch.linalg.solve(covariance + NOISE * torch.eye(covariates.shape[1]), outcomes)
    return {"net": net, "scaling": scaling, "views": views, "weights": weights}
