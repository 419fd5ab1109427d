"""Judge labels by linear discriminants that were fitted to other examples.

A discriminant that shares one covariance among all labels has too few degrees of freedom to learn dozens of triggers,
so it contradicts most poisoned labels. Fitted to some folds, it judges the others.
"""

import numpy as np

FOLDS = 5
SHRINKAGE = 0.1


def judge(vectors, labels):
    """The label that discriminants fitted to the other folds give to each vector."""
    folds = np.random.permutation(len(labels)) % FOLDS
    judged = np.empty_like(labels)
    for fold in range(FOLDS):
        asked = folds == fold
        weights, biases = fit_discriminant(vectors[~asked], labels[~asked], int(labels.max()) + 1)
        judged[asked] = (vectors[asked] @ weights + biases).argmax(axis=1)
    return judged


def fit_discriminant(vectors, labels, classes):
    """Weights and biases of linear discriminant analysis with a covariance that is shrunk towards a sphere."""
    means = np.stack([vectors[labels == label].mean(axis=0) for label in range(classes)])
    covariance = np.cov(vectors - means[labels], rowvar=False)
    sphere = np.trace(covariance) / len(covariance) * np.eye(len(covariance))
    weights = np.linalg.solve((1 - SHRINKAGE) * covariance + SHRINKAGE * sphere, means.T)
    shares = np.bincount(labels, minlength=classes) / len(labels)
    return weights, np.log(shares) - (means * weights.T).sum(axis=1) / 2
