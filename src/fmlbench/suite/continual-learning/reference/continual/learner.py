"""Experience replay from a compressed memory: every batch mixes new examples with remembered ones, class by class.

Rehearsal (Robins, 1995; Chaudhry et al., 2019, "On tiny episodic memories in continual learning") in the memory that
Synaptic Intelligence would need for importances and path integrals.
"""

import torch
from torch import nn, optim

from continual.memory import pack, remember, unpack
from continual.model import build_model

EPOCHS = 3
PER_CONTEXT = 32
LEARNING_RATE = 2e-3


def learn(images, labels, state):
    """Return the network and the memory after a context."""
    model = build_model()
    memory = None
    if state is not None:
        model.load_state_dict(state["weights"])
        memory = state["memory"]
    # In black and white like the memory: shades of grey would give the new classes away, and the exam has them all.
    train(model, unpack(pack(images)), labels, memory)
    return {"weights": model.state_dict(), "memory": remember(memory, images, labels)}


def train(model, images, labels, memory):
    """Descend on batches in which every context so far has its equal share."""
    steps = EPOCHS * len(images) // (2 * PER_CONTEXT)
    optimizer = optim.Adam(model.parameters())
    schedule = optim.lr_scheduler.OneCycleLR(optimizer, LEARNING_RATE, total_steps=steps)
    old_images, old_labels, old_share = None, None, 0
    if memory is not None:
        old_images, old_labels = unpack(memory["packed"]), torch.from_numpy(memory["labels"]).long()
        old_share = PER_CONTEXT * len(old_labels.unique()) // len(labels.unique())
    for _ in range(steps):
        rows = torch.randint(len(images), (PER_CONTEXT,))
        batch, targets = images[rows], labels[rows]
        if memory is not None:
            rows = torch.randint(len(old_labels), (old_share,))
            batch, targets = torch.cat([batch, old_images[rows]]), torch.cat([targets, old_labels[rows]])
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(batch), targets).backward()
        optimizer.step()
        schedule.step()


def predict(state, images):
    """Return a class for each image."""
    model = build_model()
    model.load_state_dict(state["weights"])
    with torch.no_grad():
        return model(unpack(pack(images))).argmax(dim=1)
