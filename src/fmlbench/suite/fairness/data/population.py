"""One secret population: real people, with labels, error rates and coordinates that no public file tells.

A population resamples the people of one public data set and blurs them (a smoothed bootstrap). What is secret:

- the label model: a quarter or so of it is the genuine label's linear model, the rest is random (a linear function, a
  small network, a linear function of each group's own, and a base rate for each group);
- how frequent each group is, how noisy its features are, how reliable the proxies are, and which training rows tell
  their group;
- the sensor: all features are decorrelated and rotated at random, so that no column has a name.
"""

import numpy as np

ATTRIBUTES = 3
GROUPS = 2**ATTRIBUTES
COMPONENTS = 9
"""Leading principal components of a source's features that a population keeps."""

BLUR = 0.25
HIDDEN = 16
STRENGTH = 2.5
"""Standard deviation of the label's logit that features explain."""
BASE_RATES = 1.5
"""Standard deviation over groups of a group's mean logit, the same in every population: it sets how unfair plain
training is, and scores of different draws should be comparable."""
MIXTURE = (0.7, 1.3)
FLIPPED = (0.02, 0.10)
POSITIVE = (0.35, 0.5)
TOLD = 0.12
"""Share of training rows that tell their group."""
TRIAL_ROWS = 4000

# Every population has the same frequencies, precisions and base rates of groups: the secret deals them to the groups.
# So populations are about equally hard, and scores of different draws are comparable.
SHARES = np.array([0.03, 0.04, 0.06, 0.09, 0.12, 0.16, 0.22, 0.28])
NOISES = np.linspace(0.0, 0.6, GROUPS)
LEVELS = np.array([-1.44, -0.90, -0.50, -0.16, 0.16, 0.50, 0.90, 1.44])
"""Mean logits of the groups in standard deviations: eight evenly spaced quantiles of a normal distribution."""


class Population:
    """A secret distribution of people and labels, from which training rows and exams are drawn."""

    def __init__(self, people, attributes, outlook, rng):
        self._people = people
        self._attributes = attributes
        self._groups = attributes @ (2 ** np.arange(ATTRIBUTES))
        self._members = [np.flatnonzero(self._groups == group) for group in range(GROUPS)]
        self._outlook = outlook
        self._rng = rng
        self._components = leading_components(people)
        self._draw_people()
        self._draw_label_model()
        self._set_scales()

    def _draw_people(self):
        rng = self._rng
        self.shares = rng.permutation(SHARES)
        self._noise = rng.permutation(NOISES)
        self._flipped = rng.uniform(*FLIPPED, size=ATTRIBUTES)
        width = COMPONENTS + ATTRIBUTES
        self._rotation = np.linalg.qr(rng.normal(size=(width, width)))[0]

    def _draw_label_model(self):
        rng = self._rng
        self._line = rng.normal(size=COMPONENTS)
        self._inner = 0.8 * rng.normal(size=(COMPONENTS, HIDDEN))
        self._bias = rng.normal(size=HIDDEN)
        self._outer = rng.normal(size=HIDDEN)
        self._lines = rng.normal(size=(GROUPS, COMPONENTS))
        mixture = rng.uniform(*MIXTURE, size=4)
        self._mixture = STRENGTH * mixture / np.linalg.norm(mixture)
        self._offsets = np.zeros(GROUPS)
        self._intercept = 0.0

    def _set_scales(self):
        """Centre and scale the label model and the sensor on a trial sample."""
        _, observed, groups, terms = self._sample(self._rng.multinomial(TRIAL_ROWS, self.shares))
        self._terms_mean, self._terms_deviation = terms.mean(axis=0), terms.std(axis=0)
        levels = BASE_RATES * self._rng.permutation(LEVELS / LEVELS.std())
        logits = self._logits(terms, groups)
        self._offsets = levels - [logits[groups == group].mean() for group in range(GROUPS)]
        self._intercept = solve_intercept(self._logits(terms, groups), self._rng.uniform(*POSITIVE))
        self._centre = observed.mean(axis=0)
        variances, axes = np.linalg.eigh(np.cov((observed - self._centre).T))
        self._sensor = axes / np.sqrt(variances) @ self._rotation

    def _sample(self, counts):
        """Draw people, ``counts`` of each group: who, what is seen of them, their groups, and the label's terms."""
        rng = self._rng
        chosen = np.concatenate([rng.choice(self._members[group], counts[group]) for group in range(GROUPS)])
        rng.shuffle(chosen)
        groups, attributes = self._groups[chosen], self._attributes[chosen]
        blurred = self._people[chosen] + BLUR * rng.normal(size=(len(chosen), self._people.shape[1]))
        blurred /= np.sqrt(1 + BLUR**2)
        latent = blurred @ self._components
        terms = np.column_stack(
            [
                blurred @ self._outlook,
                latent @ self._line,
                np.tanh(latent @ self._inner + self._bias) @ self._outer,
                (latent * self._lines[groups]).sum(axis=1),
            ]
        )
        seen = latent + self._noise[groups][:, None] * rng.normal(size=latent.shape)
        proxies = np.where(rng.random(attributes.shape) < self._flipped, 1 - attributes, attributes)
        return chosen, np.column_stack([seen, proxies]), groups, terms

    def _logits(self, terms, groups):
        scaled = (terms - self._terms_mean) / self._terms_deviation
        return scaled @ self._mixture + self._offsets[groups] + self._intercept

    def _draw(self, counts):
        _, observed, groups, terms = self._sample(counts)
        features = ((observed - self._centre) @ self._sensor).astype(np.float32)
        return features, groups, 1 / (1 + np.exp(-self._logits(terms, groups)))

    def draw_training(self, rows, kept):
        """Draw ``rows`` training rows and keep the first ``kept``; a group of -1 is not told.

        Every group has at least two rows, whose group is told, and these are kept.
        """
        rng = self._rng
        sure = 2 * GROUPS
        first = self._draw(np.full(GROUPS, 2))
        rest = self._draw(rng.multinomial(max(0, rows - sure), self.shares))
        features, groups, chances = (np.concatenate(pair)[:kept] for pair in zip(first, rest, strict=True))
        told = (np.arange(len(groups)) < sure) | (rng.random(len(groups)) < TOLD)
        order = rng.permutation(len(groups))
        return {
            "features": features[order],
            "labels": (rng.random(len(groups)) < chances).astype(np.int64)[order],
            "groups": np.where(told, groups, -1)[order],
        }

    def draw_exam(self, rows):
        """Draw ``rows`` people of each group, with the probability that each has label 1."""
        features, groups, chances = self._draw(np.full(GROUPS, rows))
        return {"features": features, "groups": groups, "chances": chances, "shares": self.shares[groups]}


def leading_components(people):
    """Weights of the leading principal components, scaled to a variance of 1."""
    variances, axes = np.linalg.eigh(np.cov(people.T))
    return axes[:, ::-1][:, :COMPONENTS] / np.sqrt(variances[::-1][:COMPONENTS])


def solve_intercept(logits, share):
    """The constant to add to logits so that their mean probability is ``share``, by bisection."""
    low, high = -20.0, 20.0
    for _ in range(50):
        middle = (low + high) / 2
        if (1 / (1 + np.exp(-logits - middle))).mean() < share:
            low = middle
        else:
            high = middle
    return low
