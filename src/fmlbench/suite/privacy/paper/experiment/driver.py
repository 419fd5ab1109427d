"""Let the candidate train one network on its members, or hand in the weights of all of them.

No candidate code runs in an exam: the weights were written in training, each network's in a stage of its own that
knew nothing of the others. The exam only packs them, as the grader's networks.py unpacks them.
"""

import sys
from importlib import import_module
from pathlib import Path

import numpy as np
from safetensors import read, write
from stagekit import Stage

MODEL = "model-"
WEIGHTS = "weights.safetensors"
FACTS = ("depth", "width")


def main(root):
    """Do the stage that ``root`` says."""
    stage = Stage(root)
    stage.answer_all(lambda questions: hand_in(stage, questions["models"])) if stage.name == "exam" else train(stage)


def train(stage):
    """Train on the members of this stage's network."""
    # An exam does without PyTorch, which takes two seconds to load.
    torch, torchkit = import_module("torch"), import_module("torchkit")
    torchkit.begin(stage.root)
    torchkit.throw_dice_from(stage.seed + int(stage.name.removeprefix(MODEL)))
    torch.backends.cudnn.deterministic = True
    torch.backends.cudnn.benchmark = False
    device, members = stage.settings["device"], stage.data(stage.name)
    network = import_module("members.trainer").train(
        torch.from_numpy(as_images(members["images"])).to(device),
        torch.from_numpy(np.array(members["labels"], dtype=np.int64)).to(device),
        torch.from_numpy(as_images(stage.data("public")["images"])).to(device),
        stage.settings["epochs"],
    )
    state = {name: values for name, values in network.state_dict().items() if values.is_floating_point()}
    arrays = {name: values.detach().cpu().numpy() for name, values in state.items()}
    write(stage.carry / WEIGHTS, arrays, {name: int(getattr(network, name)) for name in FACTS})


def as_images(images):
    """Bytes become numbers between 0 and 1."""
    return np.asarray(images, dtype=np.float32) / 255


def hand_in(stage, models):
    """The packed networks with these numbers, filled up with zeros to the same length."""
    rows = [pack(stage.carry / f"{MODEL}{model}" / WEIGHTS) for model in models]
    length = max(len(row) for row in rows)
    return np.stack([np.pad(row, (0, length - len(row))) for row in rows])


def pack(path):
    """A network as a row of numbers: its facts, then its arrays in their order."""
    arrays, facts = read(path)
    facts = np.array([int(facts[name]) for name in FACTS], dtype=np.float32)
    return np.concatenate([facts, *(array.ravel() for array in arrays.values())])


if __name__ == "__main__":
    main(Path(sys.argv[1]))
