"""Learn one context after the other, as the repository's `train_cl` does in one process for all of them.

Each context is a process of its own. What one leaves to the next is the state: the weights, which are also what the
next context's weights are held to, the importance of each, and the optimizer's two running means.
"""

import torch
from torch import optim

from continual.batches import batches
from continual.method import build_model

LEARNING_RATE = 0.001
REPORT_EVERY = 500
EXAM_BATCH = 1000


def learn(images, labels, state, iterations):
    """Return the state after a context of [n, 1, 28, 28] images in [0, 1] with [n] labels, all on one device.

    ``state`` is what the last context returned, None in the first.
    """
    model = build_model().to(images.device)
    model.optimizer = optim.Adam(model.parameters(), lr=LEARNING_RATE)
    if state is not None:
        restore(model, state)
    model.register_starting_param_values()
    path_integrals, old_weights = model.prepare_importance_estimates_dicts()
    for number, (some, names) in enumerate(batches(images, labels, iterations), start=1):
        losses = model.train_a_batch(some, names)
        model.update_importance_estimates(path_integrals, old_weights)
        if number % REPORT_EVERY == 0 or number == iterations:
            print(f"iteration {number}: loss {losses['loss_total']:.3f}", flush=True)
    model.update_omega(path_integrals, model.epsilon)
    return leave(model)


def restore(model, state):
    """Give the model back what it knew after the last context."""
    model.load_state_dict(state["weights"])
    model.optimizer.load_state_dict(state["optimizer"])
    for name, importances in state["importances"].items():
        model.register_buffer(name, importances)


def leave(model):
    """What the next context needs of the model; it keeps what it learned in buffers beside its weights."""
    kept = model.state_dict()
    return {
        "weights": {name: values for name, values in kept.items() if "_SI_" not in name},
        "importances": {name: values for name, values in kept.items() if name.endswith("_SI_omega")},
        "optimizer": model.optimizer.state_dict(),
    }


def predict(state, images):
    """Return a class for each of [n, 1, 28, 28] images, from the state that the last context left."""
    model = build_model().to(images.device)
    model.load_state_dict(state["weights"])
    model.eval()
    with torch.no_grad():
        return torch.cat([model.classify(some).argmax(dim=1) for some in images.split(EXAM_BATCH)])
