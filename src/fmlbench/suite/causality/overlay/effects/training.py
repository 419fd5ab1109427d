"""Fit a DragonNet of CATENets to every realisation."""

from catenets.models.torch import DragonNet

EPOCHS = 30
LEARNING_RATE = 3e-3
WEIGHT_DECAY = 3e-2
BATCH_SIZE = 100
REPRESENTATION_LAYERS = 2
REPRESENTATION_WIDTH = 100
HEAD_LAYERS = 1
HEAD_WIDTH = 50
PROPENSITY_WEIGHT = 1.0


def train(covariates, treatment, outcomes):
    """Return a model for each realisation.

    ``covariates`` [realisations, units, 25], ``treatment`` and ``outcomes`` [realisations, units] were observed.
    """
    models = []
    for number, (x, w, y) in enumerate(zip(covariates, treatment, outcomes, strict=True)):
        models.append(fit(x, w, y))
        if number % 12 == 11:
            print(f"fitted {number + 1} realisations", flush=True)
    return models


def fit(covariates, treatment, outcomes):
    """Fit one realisation; its covariates are standardised, binary ones too."""
    scale = covariates.mean(dim=0), covariates.std(dim=0) + 1e-3
    net = DragonNet(
        covariates.shape[1],
        n_layers_r=REPRESENTATION_LAYERS,
        n_units_r=REPRESENTATION_WIDTH,
        n_layers_out=HEAD_LAYERS,
        n_units_out=HEAD_WIDTH,
        n_units_out_prop=HEAD_WIDTH,
        prop_loss_multiplier=PROPENSITY_WEIGHT,
        n_iter=EPOCHS,
        lr=LEARNING_RATE,
        weight_decay=WEIGHT_DECAY,
        batch_size=BATCH_SIZE,
        batch_norm=False,
        val_split_prop=0,
        early_stopping=False,
    )
    net.fit((covariates - scale[0]) / scale[1], outcomes, treatment)
    return scale, net
