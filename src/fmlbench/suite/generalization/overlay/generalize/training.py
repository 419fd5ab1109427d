"""Empirical risk minimisation over all training domains together."""

from torch import optim

from generalize.network import build_network
from generalize.readings import Readings
from spuco.robust_train import ERM

EPOCHS = 6
BATCH_SIZE = 128
LEARNING_RATE = 0.002
WEIGHT_DECAY = 0.0001


def train(readings, labels, domains):
    """Return a classifier trained on [n, 80] readings with their [n] labels and [n] domains."""
    model = build_network(readings.shape[1])
    method = ERM(
        model=model,
        trainset=Readings(readings, labels, domains),
        batch_size=BATCH_SIZE,
        optimizer=optim.AdamW(model.parameters(), lr=LEARNING_RATE, weight_decay=WEIGHT_DECAY),
        num_epochs=EPOCHS,
    )
    for epoch in range(EPOCHS):
        accuracy, loss = method.train_epoch(epoch)
        print(f"epoch {epoch + 1}: loss {loss:.3f}, accuracy {accuracy:.1f}%", flush=True)
    return model
