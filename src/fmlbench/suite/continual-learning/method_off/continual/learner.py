"""Fine-tuning: the baseline with the strength of Synaptic Intelligence set to nothing."""

from types import SimpleNamespace

import torch
from avalanche.training.plugins import SynapticIntelligencePlugin
from torch import nn

from continual.model import build_model

EPOCHS = 2
BATCH = 64
LEARNING_RATE = 0.03
STRENGTH = 0.0
DAMPING = 1e-7


def learn(images, labels, state):
    """Return the state after a context of [n, 1, 28, 28] images in [0, 1] with [n] labels.

    ``state`` is what the last context returned, None in the first.
    """
    model = build_model()
    plugin = SynapticIntelligencePlugin(si_lambda=STRENGTH, eps=DAMPING)
    strategy = SimpleNamespace(model=model, device="cpu", loss=None, clock=SimpleNamespace(train_exp_counter=0))
    if state is not None:
        model.load_state_dict(state["weights"])
        restore(plugin, model, state)
    plugin.before_training_exp(strategy)
    train(strategy, plugin, images, labels)
    plugin.after_training_exp(strategy)
    return {
        "weights": model.state_dict(),
        "importances": {name: kept.data for name, kept in plugin.ewc_data[1].items()},
        "path_integrals": {name: kept.data for name, kept in plugin.syn_data["cum_trajectory"].items()},
    }


def restore(plugin, model, state):
    """Give the plugin back what it knew after the last context."""
    plugin.create_syn_data(model, plugin.ewc_data, plugin.syn_data, plugin.excluded_parameters)
    for name in state["importances"]:
        plugin.ewc_data[1][name].data = state["importances"][name]
        plugin.syn_data["cum_trajectory"][name].data = state["path_integrals"][name]


def train(strategy, plugin, images, labels):
    """Descend on the context's own examples, with the plugin's penalty on moving important weights."""
    for epoch in range(EPOCHS):
        for rows in torch.randperm(len(images)).split(BATCH):
            plugin.before_training_iteration(strategy)
            strategy.model.zero_grad()
            strategy.loss = nn.functional.cross_entropy(strategy.model(images[rows]), labels[rows])
            plugin.before_backward(strategy)
            strategy.loss.backward()
            descend(strategy.model)
            plugin.after_training_iteration(strategy)
        print(f"epoch {epoch + 1}: loss {strategy.loss.item():.3f}", flush=True)


def descend(model):
    """Take a step down the gradient; to load PyTorch's optimizers would take longer than to learn a context."""
    with torch.no_grad():
        for weight in model.parameters():
            weight.sub_(LEARNING_RATE * weight.grad)


def predict(state, images):
    """Return a class for each of [n, 1, 28, 28] images, from the state that the last context left."""
    model = build_model()
    model.load_state_dict(state["weights"])
    model.eval()
    with torch.no_grad():
        return model(images).argmax(dim=1)
