"""AIF360's classifier without its adversary, and a threshold for each group afterwards (Hardt et al., 2016)."""

import tensorflow.compat.v1 as tf

from aif360.algorithms.inprocessing.adversarial_debiasing import AdversarialDebiasing
from odds.keeping import keep
from odds.thresholds import choose_thresholds

BATCH = 128
HIDDEN = 200


def train(dataset, epochs):
    """Return a classifier trained on a BinaryLabelDataset, and the threshold of each group."""
    with tf.Graph().as_default(), tf.Session() as session:
        classifier = AdversarialDebiasing(
            unprivileged_groups=[{"sex": 0}],
            privileged_groups=[{"sex": 1}],
            scope_name="classifier",
            sess=session,
            num_epochs=epochs,
            batch_size=BATCH,
            classifier_num_hidden_units=HIDDEN,
            debias=False,
        )
        classifier.fit(dataset)
        scores = classifier.predict(dataset).scores[:, 0]
        is_favorable = (dataset.labels[:, 0] == dataset.favorable_label).astype(int)
        thresholds = choose_thresholds(scores, dataset.protected_attributes[:, 0].astype(int), is_favorable)
        print(f"thresholds {thresholds.tolist()}", flush=True)
        return keep(classifier), thresholds
