"""Empirical risk minimisation over all training domains together."""

from torch import optim

from generalize.network import build_network
from generalize.pictures import Pictures
from spuco.robust_train import ERM

EPOCHS = 5
BATCH_SIZE = 64
LEARNING_RATE = 0.002
WEIGHT_DECAY = 0.0


def train(images, labels, domains):
    """Return a classifier trained on [n, 3, 28, 28] pictures in [0, 1] with their [n] labels and [n] domains."""
    model = build_network()
    method = ERM(
        model=model,
        trainset=Pictures(images, labels, domains),
        batch_size=BATCH_SIZE,
        optimizer=optim.Adam(model.parameters(), lr=LEARNING_RATE, weight_decay=WEIGHT_DECAY),
        num_epochs=EPOCHS,
    )
    for epoch in range(EPOCHS):
        accuracy, loss = method.train_epoch(epoch)
        print(f"epoch {epoch + 1}: loss {loss:.3f}, accuracy {accuracy:.1f}%", flush=True)
    return model
