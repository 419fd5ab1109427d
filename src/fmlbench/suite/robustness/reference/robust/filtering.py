"""Find poisoned pictures: those that come in clusters whose label nothing outside the cluster confirms.

Activation clustering with exclusionary reclassification (Chen et al. 2018, arXiv:1811.03728), on pixels: the pictures
of a label are clustered, and a cluster stands if pictures outside it would give its members the same label. The nearest
neighbours judge first (as in Peri et al. 2020, arXiv:1909.13374); a network trained on what they leave judges last.
"""

import torch

CLUSTERS = 8
COMPONENTS = 20
NEIGHBOURS = 10
DOUBT = 0.95
"""Neighbours must contradict so large a share of a cluster: without it they know less of the label."""


def cluster_labels(pictures, labels):
    """Divide the pictures of every label into clusters; return the number of each picture's cluster."""
    clusters = torch.zeros_like(labels)
    for label in labels.unique():
        rows = (labels == label).nonzero()[:, 0]
        clusters[rows] = label * CLUSTERS + k_means(principal_components(pictures[rows]))
    return clusters


def principal_components(rows):
    """The coordinates of rows along the directions in which they differ most."""
    parts = torch.linalg.svd(rows - rows.mean(dim=0), full_matrices=False)
    return parts.U[:, :COMPONENTS] * parts.S[:COMPONENTS]


def k_means(rows, tries=3, rounds=20):
    """Assign rows to clusters, the best of a few tries with centres that are first drawn far from each other."""
    return min((_k_means_once(rows, rounds) for _ in range(tries)), key=lambda found: found[0])[1]


def _k_means_once(rows, rounds):
    centres = rows[torch.randperm(len(rows))[:1]]
    while len(centres) < CLUSTERS:
        squares = torch.cdist(rows, centres).amin(dim=1) ** 2
        centres = torch.cat([centres, rows[torch.multinomial(squares + 1e-9, 1)]])
    for _ in range(rounds):
        nearest = torch.cdist(rows, centres).argmin(dim=1)
        members = [rows[nearest == number] for number in range(CLUSTERS)]
        centres = torch.stack([m.mean(dim=0) if len(m) else c for m, c in zip(members, centres, strict=True)])
    distances, nearest = torch.cdist(rows, centres).min(dim=1)
    return float((distances**2).sum()), nearest


def contradicted_by_neighbours(pictures, labels, clusters):
    """Which pictures are in a cluster whose neighbours, but for itself and the cluster next to it, mostly disagree."""
    distances = torch.cdist(pictures, pictures)
    numbers = clusters.unique()
    centres = torch.stack([pictures[clusters == number].mean(dim=0) for number in numbers])
    contradicted = torch.zeros(len(labels), dtype=torch.bool)
    for number, centre in zip(numbers, centres, strict=True):
        siblings = numbers // CLUSTERS == number // CLUSTERS
        closest = numbers[siblings][(centres[siblings] - centre).norm(dim=1).argsort()[:2]]
        members = (clusters == number).nonzero()[:, 0]
        others = (~torch.isin(clusters, closest)).nonzero()[:, 0]
        near = others[distances[members][:, others].topk(NEIGHBOURS, largest=False).indices]
        contradicted[members] = (labels[near].mode(dim=1).values != labels[members]).float().mean() > DOUBT
    return contradicted


def contradicted_by(predictions, labels, clusters):
    """Which pictures are in a cluster most of whose members are predicted to have another label."""
    contradicted = torch.zeros(len(labels), dtype=torch.bool)
    for number in clusters.unique():
        members = clusters == number
        contradicted[members] = (predictions[members] != labels[members]).float().mean() > 0.5
    return contradicted
