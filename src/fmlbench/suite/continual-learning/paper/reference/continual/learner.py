"""Experience replay, as the repository has it (`--replay=buffer`), in the room that importances would take.

Rolnick et al. (2019), "Experience replay for continual learning". The more contexts there were, the less the new one
weighs in the loss. How it is compared with other methods on this very problem: van de Ven, Tuytelaars and Tolias
(2022), "Three types of incremental learning".
"""

import torch
from continual.batches import batches
from continual.method import build_model
from torch import optim

LEARNING_RATE = 0.001
PER_CLASS = 240
"""Ten classes of so many images, a byte a pixel, take 1.88 MB; importances take 1.91 MB."""
CLASSES_PER_CONTEXT = 2
EXAM_BATCH = 1000


def learn(images, labels, state, iterations):
    """Return the weights, the optimizer's means and the memory after a context."""
    model = build_model().to(images.device)
    model.weight_penalty = False
    model.optimizer = optim.Adam(model.parameters(), lr=LEARNING_RATE)
    memory = {"images": images[:0].to(torch.uint8), "labels": labels[:0]}
    if state is not None:
        model.load_state_dict(state["weights"])
        model.optimizer.load_state_dict(state["optimizer"])
        memory = state["memory"]
    train(model, images, labels, memory, iterations)
    return {
        "weights": model.state_dict(),
        "optimizer": model.optimizer.state_dict(),
        "memory": remember(memory, images, labels),
    }


def train(model, images, labels, memory, iterations):
    """Every batch of new examples goes with one of remembered ones, as soon as there are any."""
    share = CLASSES_PER_CONTEXT / (len(memory["labels"].unique()) + CLASSES_PER_CONTEXT)
    if share == 1:
        for some, names in batches(images, labels, iterations):
            model.train_a_batch(some, names)
        return
    new, old = batches(images, labels, iterations), batches(memory["images"] / 255, memory["labels"], iterations)
    for (some, names), (old_some, old_names) in zip(new, old, strict=True):
        model.train_a_batch(some, names, x_=old_some, y_=old_names, rnt=share)


def remember(memory, images, labels):
    """Add as many examples of every new class."""
    kept = torch.cat([torch.nonzero(labels == name)[:PER_CLASS, 0] for name in labels.unique()])
    return {
        "images": torch.cat([memory["images"], (images[kept] * 255).round().to(torch.uint8)]),
        "labels": torch.cat([memory["labels"], labels[kept].to(memory["labels"].dtype)]),
    }


def predict(state, images):
    """Return a class for each image."""
    model = build_model().to(images.device)
    model.load_state_dict(state["weights"])
    model.eval()
    with torch.no_grad():
        return torch.cat([model.classify(some).argmax(dim=1) for some in images.split(EXAM_BATCH)])
