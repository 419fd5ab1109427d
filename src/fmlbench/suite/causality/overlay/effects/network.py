"""A DragonNet for many studies: one representation for all of them, three linear heads for each."""

import torch
from torch import nn

from catenets.models.torch.base import RepresentationNet


class SharedDragonNet(nn.Module):
    """Covariates -> factors -> CATENets' representation -> outcome without and with treatment, and propensity."""

    def __init__(self, directions, realisations, layers, width):
        super().__init__()
        self.directions = nn.Parameter(directions.clone())
        self.representation = RepresentationNet(directions.shape[1], n_layers=layers, n_units=width, batch_norm=False)
        self.heads = nn.Parameter(0.05 * torch.randn(realisations, width, 3))
        self.levels = nn.Parameter(torch.zeros(realisations, 1, 3))

    def describe(self, covariates):
        """Return what all studies and heads share: factors and representation."""
        factors = covariates @ self.directions
        return factors, self.representation(factors)

    def loss(self, covariates, treatment, outcomes, propensity_weight):
        """DragonNet's loss, added up over realisations: observed outcomes and treatment."""
        heads = self.describe(covariates)[1] @ self.heads + self.levels
        observed = torch.where(treatment == 1, heads[..., 1], heads[..., 0])
        propensity = nn.functional.binary_cross_entropy_with_logits(heads[..., 2], treatment.float())
        return len(covariates) * ((observed - outcomes).square().mean() + propensity_weight * propensity)
