"""Attacks: guess from signals who is a member of a target, given references with known members.

An attack gets the signals, [networks, vectors] who is a member of which network, and the target's number. It returns a
number for every vector, larger for likelier members, and must not look at the target's own members.
"""

import numpy as np

TINY = 1e-12
RIDGE = 30.0
"""Of the learned attack, in units of standardised inputs."""


def loss_threshold(signals, members, target):
    """A small loss (Yeom et al., 2018)."""
    return signals.log_probability[target]


def label_only(signals, members, target):
    """The right label (Yeom et al., 2018)."""
    return signals.right[target]


def boundary(signals, members, target):
    """A label that changes later than references' that never saw the vector (Choquette-Choo et al., 2021)."""
    return signals.distance[target] - mean_without(signals.distance, members, target)


def boundary_likelihood(signals, members, target):
    """The likelihood ratio of such distances."""
    return likelihood_ratio(signals.distance, members, target)


def relative(signals, members, target):
    """A probability larger than the references' on average (RMIA, Zarifzadeh et al., 2024).

    RMIA goes on to count how many other vectors have a smaller ratio. That makes ranks of ratios, and an AUC knows
    nothing but ranks.
    """
    usual = mean_without(np.exp(signals.log_probability), members, target)
    return signals.log_probability[target] - np.log(usual + TINY)


def likelihood(signals, members, target):
    """The likelihood ratio of the log odds with and without the vector in training (LiRA, Carlini et al., 2022)."""
    return likelihood_ratio(signals.margin, members, target)


def learned(signals, members, target):
    """What a model says that was fitted to the references, whose members are known (Shokri et al., 2017).

    An attack with one formula can be cancelled by shifting the log odds of members by the right amount. This one learns
    what membership looks like after such a shift. Each reference is described relative to the others, like the target.
    """
    references = [network for network in range(len(members)) if network != target]
    inputs = np.concatenate([relate(signals.features, members, network, target) for network in references])
    answers = np.concatenate([members[network] for network in references]).astype(float)
    middle, spread = inputs.mean(axis=0), inputs.std(axis=0) + TINY
    inputs = (inputs - middle) / spread
    weights = np.linalg.solve(
        inputs.T @ inputs + RIDGE * np.eye(inputs.shape[1]), inputs.T @ (answers - answers.mean())
    )
    return (relate(signals.features, members, target, target) - middle) / spread @ weights


AUDITS = {
    "loss": loss_threshold,
    "label": label_only,
    "boundary": boundary,
    "boundary_likelihood": boundary_likelihood,
    "relative": relative,
    "likelihood": likelihood,
    "learned": learned,
}


def mean_without(values, members, target):
    """The mean over references that were not trained on a vector; over all of them, where every one was."""
    return mean_over(values, ~members, target)[0]


def mean_over(values, chosen, target):
    """The mean of the chosen references' values for every vector, and how many there were."""
    values, chosen = np.delete(values, target, axis=0), np.delete(chosen, target, axis=0)
    count = chosen.sum(axis=0)
    mean = np.where(count > 0, (values * chosen).sum(axis=0) / np.maximum(count, 1), values.mean(axis=0))
    return mean, count


def likelihood_ratio(values, members, target):
    """How much better a normal distribution fits that of references with the vector than that of those without.

    A handful of references says little about a spread, so each side has one spread for all vectors.
    """
    return log_density(values, members, target) - log_density(values, ~members, target)


def log_density(values, chosen, target):
    """The logarithm of the density of the target's value among the chosen references', less a constant."""
    mean, count = mean_over(values, chosen, target)
    apart = (np.delete(values, target, axis=0) - mean) ** 2 * np.delete(chosen, target, axis=0)
    variance = apart.sum() / max(np.maximum(count - 1, 0).sum(), 1) * (1 + 1 / np.maximum(count, 1)) + TINY
    return -((values[target] - mean) ** 2) / (2 * variance) - np.log(variance) / 2


def relate(features, members, network, target):
    """A network's features less their mean over other references that never saw the vector, with simple products."""
    others = [other for other in range(len(members)) if other not in (network, target)]
    unseen = ~members[others]
    count = unseen.sum(axis=0)[:, None]
    known = (features[others] * unseen[:, :, None]).sum(axis=0) / np.maximum(count, 1)
    usual = np.where(count > 0, known, features[others].mean(axis=0))
    change = standardised(features[network] - usual)
    difficulty = standardised(usual[:, :1])
    return np.hstack([change, change * difficulty, change**2, np.abs(change), difficulty, difficulty**2])


def standardised(columns):
    """Columns with a standard deviation of one."""
    return columns / (columns.std(axis=0) + TINY)


def auc(guesses, members):
    """The probability that a member's guess is larger than another's; ties count half."""
    inside, outside = guesses[members], np.sort(guesses[~members])
    if len(inside) == 0 or len(outside) == 0:
        return 0.5
    below = np.searchsorted(outside, inside, side="left")
    up_to = np.searchsorted(outside, inside, side="right")
    return float((below + up_to).mean() / (2 * len(outside)))
