"""Predict, then interpolate: learn what one domain's classifier gets wrong in another domain.

Bao, Chang and Barzilay (2021), "Predict then Interpolate: a simple algorithm to learn stable classifiers". A classifier
of one domain, asked about another, errs where the features it leans on do not carry over. Training on all kinds of its
errors as often as on its successes leaves these features with nothing to tell. With ten classes an error has a kind:
the parts here are those of the confusion matrix, not just right and wrong.
"""

import torch
from torch import optim

from generalize.inference import classify
from generalize.network import build_network
from generalize.pictures import Pictures
from spuco.robust_train import ERM, GroupBalanceBatchERM
from spuco.utils import convert_labels_to_partition

SCOUT_EPOCHS = 3
EPOCHS = 10
BATCH_SIZE = 64
LEARNING_RATE = 0.002
SMALLEST_PART = 20
"""Parts with fewer pictures than this are drawn less often, lest a few of them be learned by heart."""


def train(images, labels, domains):
    """Return a classifier trained on every domain, partitioned by the classifiers of the others."""
    scouts = [train_scout(images[domains == one], labels[domains == one], domains[domains == one]) for one in (0, 1)]
    predictions = torch.where(domains == 0, classify(scouts[1], images), classify(scouts[0], images))
    facts = (domains.tolist(), labels.tolist(), predictions.tolist())
    parts = convert_labels_to_partition(list(zip(*facts, strict=True)))
    model = build_network()
    method = GroupBalanceBatchERM(
        model=model,
        trainset=Pictures(images, labels, domains),
        group_partition=parts,
        batch_size=BATCH_SIZE,
        optimizer=optim.Adam(model.parameters(), lr=LEARNING_RATE),
        num_epochs=EPOCHS,
    )
    method.sampling_weights = [1 / max(len(rows), SMALLEST_PART) for rows in parts.values() for _ in rows]
    method.train()
    return model


def train_scout(images, labels, domains):
    """Return an ordinary classifier of a single domain."""
    model = build_network()
    optimizer = optim.Adam(model.parameters(), lr=LEARNING_RATE)
    ERM(model, Pictures(images, labels, domains), BATCH_SIZE, optimizer, SCOUT_EPOCHS).train()
    return model
