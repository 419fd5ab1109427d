"""Fit a DragonNet with one representation for all realisations, then Bayesian linear heads for each of them."""

import torch

from effects.factors import find_factors
from effects.network import SharedDragonNet

FACTORS = 5
RIDGE = 60.0
EPOCHS = 40
LEARNING_RATE = 1e-2
WEIGHT_DECAY = 0.1
HEAD_DECAY = 10.0
BATCH_SIZE = 50
LAYERS = 2
WIDTH = 64
PROPENSITY_WEIGHT = 0.2
NOISE = 0.2
EFFECT_VARIANCE = 0.3
AVERAGE_EFFECT_VARIANCE = 0.6


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
    """Replace the heads by Bayesian linear ones in closed form, with less variance for effects than for outcomes."""
    features = net.represent(covariates)
    centre = features.flatten(0, 1).mean(dim=0)
    scale = (features - centre).square().sum(dim=2).mean().sqrt()
    features = (features - centre) / scale
    contrast = treatment - 0.5
    similarity = features @ features.mT
    effect = (AVERAGE_EFFECT_VARIANCE + EFFECT_VARIANCE * similarity) * contrast[:, :, None] * contrast[:, None]
    covariance = 1 + similarity + effect + NOISE * torch.eye(covariates.shape[1])
    weights = contrast * torch.linalg.solve(covariance, outcomes)
    slopes = EFFECT_VARIANCE * (features.mT @ weights[:, :, None])[:, :, 0]
    levels = AVERAGE_EFFECT_VARIANCE * weights.sum(dim=1)
    return {"net": net, "centre": centre, "scale": scale, "slopes": slopes, "levels": levels}
