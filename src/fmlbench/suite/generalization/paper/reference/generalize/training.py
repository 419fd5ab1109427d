"""A product of experts: learn what classifiers that were trained only briefly do not know.

Clark, Yatskar and Zettlemoyer (2019), "Don't take the easy way out": an expert for what is misleading is multiplied
into the prediction during training and left out afterwards, so that the main classifier learns the rest. Sanh, Wolf,
Belinkov and Rush (2021), "Learning from others' mistakes": nobody need know what is misleading; a weak learner finds
it, because it is what is learned first.
"""

import torch
from torch.nn.functional import cross_entropy

from generalize.algorithm import build_algorithm

WEAK_LEARNERS = 2
WEAK_SHARE = 16
"""Each weak learner gets the sixteenth part of all updates; the main classifier has what is left."""


def train(images, labels, domains, steps):
    """Return the main classifier, without the weak learners it was trained with."""
    rows = [torch.nonzero(domains == domain)[:, 0] for domain in domains.unique()]
    weak_steps = steps // WEAK_SHARE
    nobody = torch.zeros(len(images), 1, device=images.device)
    weak = [learn(images, labels, rows, nobody, weak_steps) for _ in range(WEAK_LEARNERS)]
    opinions = torch.stack([opinion_of(learner, images) for learner in weak]).mean(dim=0)
    return learn(images, labels, rows, opinions, steps - WEAK_LEARNERS * weak_steps)


def learn(images, labels, rows, opinions, steps):
    """Return a classifier whose prediction was multiplied by the opinions while it learned."""
    algorithm = build_algorithm(images.shape[1:], len(rows)).to(images.device)
    for _ in range(steps):
        batch = torch.cat([draw_batch(of_domain, algorithm.hparams["batch_size"]) for of_domain in rows])
        outputs = algorithm.predict(images[batch]).log_softmax(dim=1)
        loss = cross_entropy(outputs + opinions[batch], labels[batch])
        algorithm.optimizer.zero_grad()
        loss.backward()
        algorithm.optimizer.step()
    return algorithm


def opinion_of(algorithm, images):
    """The log-probabilities a weak learner gives to all labels of all pictures."""
    algorithm.eval()
    with torch.no_grad():
        return torch.cat([algorithm.predict(batch).log_softmax(dim=1) for batch in images.split(500)])


def draw_batch(rows, size):
    """So many of a domain's rows, drawn with replacement."""
    return rows[torch.randint(len(rows), (size,)).to(rows.device)]
