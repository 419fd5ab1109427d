"""Let the candidate learn one context on the track's device, or answer an exam about all of them.

The state passes from stage to stage as the candidate's own objects, whatever they are made of: they are loaded in the
same sandbox as the code that made them, so there is nothing to protect. How large they may be, the harness sees to.
"""

import pickle
import sys
from importlib import import_module

import numpy as np
import torch
from torchkit import begin, throw_dice_from

STATE = "state.pt"
CONTEXT = "context-"


def main(root):
    """Do the stage that ``root`` says."""
    stage = begin(root)
    torch.backends.cudnn.deterministic = True
    torch.backends.cudnn.benchmark = False
    throw_dice_from(stage.seed + context_number(stage))
    sit_exam(stage) if stage.name == "exam" else learn(stage)


def context_number(stage):
    """From 1 to 5; 0 in an exam."""
    return int(stage.name.removeprefix(CONTEXT)) if stage.name.startswith(CONTEXT) else 0


def learn(stage):
    """Learn from the one context this stage sees, starting from what the last one left."""
    data, device = stage.data(stage.name), stage.settings["device"]
    images, labels = as_images(data["images"], device), as_labels(data["labels"], device)
    state = None if context_number(stage) == 1 else load(stage)
    state = import_module("continual.learner").learn(images, labels, state, stage.settings["iterations"])
    # The default protocol would write bytes and NumPy arrays at one and a half times their size.
    torch.save(state, stage.carry / STATE, pickle_protocol=pickle.HIGHEST_PROTOCOL)


def sit_exam(stage):
    """Name the class of every image."""
    predict, device = import_module("continual.learner").predict, stage.settings["device"]
    state = load(stage)

    def respond(questions):
        answers = predict(state, as_images(questions["images"], device))
        return torch.as_tensor(answers).to(torch.int64).cpu().numpy()

    stage.answer_all(respond)


def load(stage):
    """What the last context left, on the track's device."""
    return torch.load(stage.carry / STATE, map_location=stage.settings["device"], weights_only=False)


def as_images(images, device):
    """[n, 28, 28] bytes become [n, 1, 28, 28] numbers between 0 and 1."""
    return torch.from_numpy(np.asarray(images, dtype=np.float32) / 255).unsqueeze(1).to(device)


def as_labels(labels, device):
    """A copy: what is mapped into memory cannot be written to, and PyTorch warns of that."""
    return torch.from_numpy(np.array(labels, dtype=np.int64)).to(device)


if __name__ == "__main__":
    main(sys.argv[1])
