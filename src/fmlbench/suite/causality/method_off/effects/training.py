"""Fit each arm with a network of its own: no shared representation, and no head that tells who was treated."""

from catenets.models.torch import TLearner

EPOCHS = 30
LEARNING_RATE = 3e-3
WEIGHT_DECAY = 3e-2
BATCH_SIZE = 100
LAYERS = 3
WIDTH = 100


def train(covariates, treatment, outcomes):
    """Return a model for each realisation."""
    return [fit(x, w, y) for x, w, y in zip(covariates, treatment, outcomes, strict=True)]


def fit(covariates, treatment, outcomes):
    """Fit one realisation with two networks as deep as DragonNet's path from covariates to an outcome."""
    scale = covariates.mean(dim=0), covariates.std(dim=0) + 1e-3
    nets = TLearner(
        covariates.shape[1],
        binary_y=False,
        n_layers_out=LAYERS,
        n_units_out=WIDTH,
        n_iter=EPOCHS,
        lr=LEARNING_RATE,
        weight_decay=WEIGHT_DECAY,
        batch_size=BATCH_SIZE,
        batch_norm=False,
        val_split_prop=0,
        early_stopping=False,
    )
    nets.fit((covariates - scale[0]) / scale[1], outcomes, treatment)
    return scale, nets
