"""The training loop: every update gets a batch from each domain, drawn with replacement, as DomainBed's own does."""

import torch

from generalize.algorithm import build_algorithm

REPORT_EVERY = 500


def train(images, labels, domains, steps):
    """Return a classifier trained by so many updates.

    Pictures are [n, 3, 28, 28] between 0 and 1, labels and domains are [n]; all are on the device to train on.
    """
    rows = [torch.nonzero(domains == domain)[:, 0] for domain in domains.unique()]
    algorithm = build_algorithm(images.shape[1:], len(rows)).to(images.device)
    for step in range(steps):
        batches = [draw_batch(of_domain, algorithm.hparams["batch_size"]) for of_domain in rows]
        values = algorithm.update([(images[batch], labels[batch]) for batch in batches])
        if step % REPORT_EVERY == 0 or step == steps - 1:
            print(f"step {step}: " + ", ".join(f"{name} {value:.3f}" for name, value in values.items()), flush=True)
    return algorithm


def draw_batch(rows, size):
    """So many of a domain's rows; the dice are the CPU's, so that a seed means the same batches on every device."""
    return rows[torch.randint(len(rows), (size,)).to(rows.device)]
