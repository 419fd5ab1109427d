"""Find poisoned pictures with the toolbox's own activation clustering and exclusionary reclassification.

Chen et al. (2018), "Detecting backdoor attacks on deep neural networks by activation clustering", arXiv:1811.03728.
"""

import numpy as np

from art.defences.detector.poison.activation_defence import ActivationDefence
from art.utils import segment_by_class, to_categorical
from robust.network import CLASSES, build_classifier

BATCH_SIZE = 128
ROUNDS = 2
"""Two clusters a label find one trigger at a time, and every label is the target of two."""
CONFIRMED = 1.0
"""A cluster stands if its label is predicted so many times as often as the likeliest other one."""
HIDDEN_LAYER = "9"
"""The last before the scores; the toolbox itself would cluster the scores."""


def passes_for_clean(images, labels, epochs, device):
    """Which pictures are left after so many rounds, [n] booleans."""
    kept = np.ones(len(labels), dtype=bool)
    for _ in range(ROUNDS):
        kept[kept] = is_confirmed(images[kept], to_categorical(labels[kept], CLASSES), epochs, device)
        print(f"{kept.mean():.1%} of the pictures are left", flush=True)
    return kept


def is_confirmed(images, targets, epochs, device):
    """Divide every label's pictures by what a network makes of them; leave out the smaller part if others disown it."""
    classifier = build_classifier(device)
    classifier.fit(images, targets, batch_size=BATCH_SIZE, nb_epochs=epochs)
    defence = ActivationDefence(classifier, images, targets, ex_re_threshold=CONFIRMED)
    activations = classifier.get_activations(images, layer=HIDDEN_LAYER, batch_size=BATCH_SIZE)
    defence.activations_by_class = segment_by_class(activations, targets, CLASSES)
    _, is_clean = defence.detect_poison(nb_clusters=2, nb_dims=10, reduce="PCA", cluster_analysis="smaller")
    return np.array(is_clean, dtype=bool)
