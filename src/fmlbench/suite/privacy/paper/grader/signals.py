"""What an auditor who holds the networks sees of every image: [networks, images] numbers of several kinds."""

from dataclasses import dataclass

import numpy as np

SPREAD = 3.0
"""The typical size of a score after an auditor has undone whatever scale it was given."""
SHIFT = 2
"""How many pixels an image is moved to see whether it keeps its label."""


@dataclass(frozen=True)
class Signals:
    """The signals of all networks on all images of an audit."""

    log_probability: np.ndarray
    """Of the right label."""
    margin: np.ndarray
    """The log odds of the right label."""
    right: np.ndarray
    """1 where the label is right, else 0."""
    distance: np.ndarray
    """How far an image is from another label: the share of its views, moved or mirrored, that get the right one."""

    @classmethod
    def of(cls, networks, labels):
        """Measure all of them."""
        truth = labels["audit_labels"]
        measured = []
        for network in networks:
            seen = [network(view) for view in views_of(labels["audit_images"])]
            right = np.stack([scores.argmax(axis=1) == truth for scores in seen]).astype(float)
            scores = centred(seen[0]) / scale_of(network(labels["accuracy_images"]))
            measured.append((*log_odds(scores, truth), right[0], right.mean(axis=0)))
        return cls(*(np.stack(kind) for kind in zip(*measured, strict=True)))


def views_of(images):
    """[n, 3, side, side] images as they are, mirrored, and moved four ways with their edges drawn out."""
    side = images.shape[-1]
    wide = np.pad(images, ((0, 0), (0, 0), (SHIFT, SHIFT), (SHIFT, SHIFT)), mode="edge")
    moved = [
        wide[:, :, down : down + side, right : right + side]
        for down, right in ((0, SHIFT), (2 * SHIFT, SHIFT), (SHIFT, 0), (SHIFT, 2 * SHIFT))
    ]
    return [images, images[..., ::-1], *moved]


def centred(scores):
    """Scores with a mean of zero for every image: a constant added to all of them says nothing."""
    return scores - scores.mean(axis=1, keepdims=True)


def scale_of(scores):
    """What to divide scores by, so that nobody gains by handing in tiny or huge ones."""
    return float(np.sqrt((centred(scores) ** 2).mean())) / SPREAD or 1.0


def log_odds(scores, truth):
    """The logarithms of the probability of the right label, and of its odds."""
    rows = np.arange(len(truth))
    others = scores.copy()
    others[rows, truth] = -np.inf
    margin = scores[rows, truth] - np.logaddexp.reduce(others, axis=1)
    return -np.logaddexp(0.0, -margin), margin
