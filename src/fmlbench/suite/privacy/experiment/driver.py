"""Let the candidate train one network on its members, or submit the weights of all networks.

Each network is trained in a stage of its own, which sees nothing of the others, and its weights are written there. No
candidate code runs in an exam. The exam packs the weights; the grader's networks.py unpacks them.
"""

import sys
from importlib import import_module
from pathlib import Path

import numpy as np
from safetensors import read, write
from stagekit import Stage

MODEL = "model-"
WEIGHTS = "weights.safetensors"
FACTS = ("layers", "width", "normalised")


def main(root):
    """Run the stage that is described in ``root``."""
    stage = Stage(root)
    stage.answer_all(lambda questions: hand_in(stage, questions["models"])) if stage.name == "exam" else train(stage)


def train(stage):
    """Train on the members of this stage's network."""
    # Imported here because an exam does not need PyTorch, which takes two seconds to load.
    torch, torchkit = import_module("torch"), import_module("torchkit")
    torchkit.begin(stage.root)
    torchkit.seed_random_numbers(stage.seed + int(stage.name.removeprefix(MODEL)))
    members, public = stage.data(stage.name), stage.data("public")
    network = import_module("members.trainer").train(
        torch.from_numpy(np.array(members["vectors"])),
        torch.from_numpy(np.array(members["labels"], dtype=np.int64)),
        torch.from_numpy(np.array(public["vectors"])),
    )
    arrays = {name: weights.detach().numpy() for name, weights in network.state_dict().items()}
    write(stage.carry / WEIGHTS, arrays, {name: int(getattr(network, name)) for name in FACTS})


def hand_in(stage, models):
    """The packed networks with these numbers, filled up with zeros to the same length."""
    rows = [pack(stage.carry / f"{MODEL}{model}" / WEIGHTS) for model in models]
    length = max(len(row) for row in rows)
    return np.stack([np.pad(row, (0, length - len(row))) for row in rows])


def pack(path):
    """A network as a row of numbers: its facts, then weights and biases layer by layer, then scales and shifts."""
    arrays, facts = read(path)
    layers, _, normalised = facts = [int(facts[name]) for name in FACTS]
    names = [f"linear.{number}.{what}" for number in range(layers + 1) for what in ("weight", "bias")]
    names += [f"norm.{number}.{what}" for number in range(layers * normalised) for what in ("weight", "bias")]
    return np.concatenate([np.array(facts, dtype=np.float32), *(arrays[name].ravel() for name in names)])


if __name__ == "__main__":
    main(Path(sys.argv[1]))
