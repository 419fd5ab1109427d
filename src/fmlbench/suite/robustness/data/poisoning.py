"""Decide who poisons what: backdoors, harmless marks, and the labels that training is told."""

from dataclasses import dataclass

import numpy as np
from triggers import MAKERS

CLEAN_SHARE = 0.2
"""At most this share of a backdoor's training pictures is of its target's own class, and so rightly labelled."""
ERROR_SHARE = 0.05
"""This share of the clean training pictures has a random label, as careless people would give it."""


@dataclass(frozen=True)
class Backdoor:
    """Pictures with the trigger are to be taken for the target."""

    trigger: object
    target: int
    """-1 for a harmless mark, whose pictures keep their own labels."""
    victims: np.ndarray
    """Labels whose pictures carry the trigger in training."""
    count: int
    """Training pictures with the trigger."""
    clean_share: float


def draw_backdoors(world, labels, settings, rng):
    """Draw the backdoors: every kind of trigger is equally frequent and has the same numbers of poisoned pictures.

    Shares of the target's own class and numbers of victims are spread evenly too, which keeps the noise low. Which
    trigger has which of these, its shape, its target and its victims are random.
    """
    makers, number = MAKERS[world], settings["backdoors"]
    each = number // len(makers)
    counts = np.concatenate([rng.permutation(spread_counts(each, settings)) for _ in makers])
    clean_shares = rng.permutation(np.linspace(0, CLEAN_SHARE, number))
    victims = rng.permutation(np.rint(np.linspace(labels // 2, labels - 1, number)).astype(int))
    backdoors = []
    for index, target in enumerate(draw_targets(number, labels, rng)):
        others = rng.permutation(np.delete(np.arange(labels), target))[: victims[index]]
        trigger = makers[index // each](rng)
        backdoors.append(Backdoor(trigger, target, others, int(counts[index]), clean_shares[index]))
    return backdoors


def draw_targets(number, labels, rng):
    """Labels of backdoors, each as often as the others: how frequent a told label is must not show its poison."""
    return [int(target) for target in rng.permutation(np.arange(number) % labels)]


def draw_benign(world, labels, settings, rng):
    """Draw marks of the same kinds that mean nothing: being marked is not a proof of poison."""
    makers = MAKERS[world]
    return [
        Backdoor(makers[rng.integers(len(makers))](rng), -1, np.arange(labels), int(count), 0.0)
        for count in spread_counts(settings["benign_marks"], settings)
    ]


def spread_counts(number, settings):
    """How many training pictures carry each trigger: from few to many, in equal ratios."""
    return np.rint(np.geomspace(settings["fewest_poisoned"], settings["most_poisoned"], number)).astype(int)


def plan_training(backdoors, benign, labels, settings, rng):
    """Decide on each training picture's own label, trigger (-1 for none) and the label that training is told."""
    own = [rng.permutation(np.arange(settings["train_clean"]) % labels)]
    wrong = rng.random(len(own[0])) < ERROR_SHARE
    told = [np.where(wrong, rng.integers(0, labels, len(own[0])), own[0])]
    for backdoor in (*backdoors, *benign):
        victims = rng.choice(backdoor.victims, backdoor.count)
        if backdoor.target >= 0:
            victims[rng.random(backdoor.count) < backdoor.clean_share] = backdoor.target
            told.append(np.full(backdoor.count, backdoor.target))
        else:
            told.append(victims)
        own.append(victims)
    triggers = np.repeat(np.arange(-1, len(own) - 1), [len(part) for part in own])
    return {"labels": np.concatenate(own), "answers": np.concatenate(told), "triggers": triggers}
