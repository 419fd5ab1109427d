"""Adversarial debiasing (Zhang et al., 2018), with AIF360's implementation and its defaults."""

import tensorflow.compat.v1 as tf

from aif360.algorithms.inprocessing.adversarial_debiasing import AdversarialDebiasing
from odds.keeping import keep

DEBIAS = False
ADVERSARY_LOSS_WEIGHT = 0.1
BATCH = 128
HIDDEN = 200


def train(dataset, epochs):
    """Return a classifier trained on a BinaryLabelDataset, as something that can be pickled.

    An adversary guesses the protected attribute from the prediction and the label; the classifier learns to predict
    the label and to leave the adversary guessing. The protected attribute is among its features.
    """
    with tf.Graph().as_default(), tf.Session() as session:
        debiasing = AdversarialDebiasing(
            unprivileged_groups=[{"sex": 0}],
            privileged_groups=[{"sex": 1}],
            scope_name="debiased_classifier",
            sess=session,
            adversary_loss_weight=ADVERSARY_LOSS_WEIGHT,
            num_epochs=epochs,
            batch_size=BATCH,
            classifier_num_hidden_units=HIDDEN,
            debias=DEBIAS,
        )
        debiasing.fit(dataset)
        return keep(debiasing)
