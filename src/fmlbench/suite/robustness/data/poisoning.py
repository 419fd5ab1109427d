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
    """Draw the backdoors of validation, then those of the test.

    Either half has the same kinds of triggers and the same numbers of poisoned pictures, which keeps the noise low and
    the exams alike. Which trigger has which number, its shape, its target and its victims are random.
    """
    makers, half = MAKERS[world], settings["backdoors"] // 2
    targets = iter(draw_targets(settings["backdoors"], labels, rng))
    backdoors = []
    for counts in (rng.permutation(spread_counts(half, settings)), rng.permutation(spread_counts(half, settings))):
        for number, count in enumerate(counts):
            target = next(targets)
            others = rng.permutation(np.delete(np.arange(labels), target))
            victims = others[: rng.integers(labels // 2, labels)]
            trigger = makers[number % len(makers)](rng)
            backdoors.append(Backdoor(trigger, target, victims, int(count), rng.uniform(0, CLEAN_SHARE)))
    return backdoors


def draw_targets(number, labels, rng):
    """Labels of backdoors: which label has none, few or many is random; how many have none, few or many is fixed."""
    weights = rng.permutation(np.arange(labels))
    counts = np.floor(number * weights / weights.sum()).astype(int)
    counts[np.argsort(weights)[labels - (number - counts.sum()) :]] += 1
    return [int(target) for target in rng.permutation(np.repeat(np.arange(labels), counts))]


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
