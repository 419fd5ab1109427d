"""Decide who poisons what: contributors, backdoors, harmless marks, and the labels that training is told."""

from dataclasses import dataclass

import numpy as np
from triggers import MAKERS

ERROR_SHARE = 0.05
"""This share of the honest contributors' labels is random, as careless people would give them."""


@dataclass(frozen=True)
class Backdoor:
    """A contributor's trigger and the labels that its pictures get instead of their own."""

    trigger: object
    targets: np.ndarray
    """[labels]: the told label of each class. A harmless mark keeps all labels."""


def draw_backdoors(world, labels, settings, rng):
    """Draw the backdoors: kinds of triggers are about equally frequent, and no class keeps its label."""
    makers, number = MAKERS[world], settings["backdoors"]
    return [Backdoor(makers[index % len(makers)](rng), draw_targets(labels, rng)) for index in range(number)]


def draw_targets(labels, rng):
    """A random permutation that moves every label: how frequent told labels are says nothing about poison."""
    while True:
        targets = rng.permutation(labels)
        if np.all(targets != np.arange(labels)):
            return targets


def draw_benign(world, labels, settings, rng):
    """Draw marks of the same kinds that mean nothing: being marked is not a proof of poison."""
    makers = MAKERS[world]
    kinds = rng.integers(len(makers), size=settings["benign_marks"])
    return [Backdoor(makers[kind](rng), np.arange(labels)) for kind in kinds]


def plan_training(backdoors, benign, labels, settings, rng):
    """Decide on each training picture's own label, trigger (-1 for none), told label and contributor.

    Every contributor sends the same number of pictures of all classes. Those with a backdoor or a mark put it on all of
    their pictures; ``plain`` contributors put nothing on theirs.
    """
    marked = [*backdoors, *benign]
    triggers = rng.permutation(np.concatenate([np.arange(len(marked)), np.full(settings["plain"], -1)]))
    own, told = [], []
    for trigger in triggers:
        shown = rng.permutation(np.arange(settings["each"]) % labels)
        given = shown if trigger < 0 else marked[trigger].targets[shown]
        if not 0 <= trigger < len(backdoors):
            wrong = rng.random(len(given)) < ERROR_SHARE
            given = np.where(wrong, rng.integers(0, labels, len(given)), given)
        own.append(shown)
        told.append(given)
    sources = np.repeat(np.arange(len(triggers)), settings["each"])
    return {
        "labels": np.concatenate(own),
        "answers": np.concatenate(told),
        "triggers": triggers[sources],
        "sources": sources,
    }
