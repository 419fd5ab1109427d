"""Train the candidate's classifier on two domains, or let it label an exam that mixes these with others.

The model passes from training to the exam as the candidate's own objects, whatever they are made of: they are
loaded in the same sandbox as the code that made them, so there is nothing to protect.
"""

import sys
from importlib import import_module

import numpy as np
import torch
from torchkit import begin

MODEL = "model.pt"


def main(root):
    """Do the stage that ``root`` says."""
    stage = begin(root)
    torch.backends.cudnn.deterministic = True
    torch.backends.cudnn.benchmark = False
    {"train": train, "exam": sit_exam}[stage.name](stage)


def train(stage):
    """Train on the visible domains and leave the model for the exam."""
    data, device = stage.data("train"), stage.settings["device"]
    images = as_images(data["images"], device)
    labels, domains = as_numbers(data["labels"], device), as_numbers(data["domains"], device)
    model = import_module("generalize.training").train(images, labels, domains, stage.settings["steps"])
    torch.save(model, stage.carry / MODEL)


def sit_exam(stage):
    """Label every picture."""
    classify, device = import_module("generalize.inference").classify, stage.settings["device"]
    model = torch.load(stage.carry / MODEL, map_location=device, weights_only=False)

    def respond(questions):
        return torch.as_tensor(classify(model, as_images(questions["images"], device))).cpu().numpy()

    stage.answer_all(respond)


def as_images(pictures, device):
    """[n, 3, 28, 28] bytes become numbers between 0 and 1."""
    return torch.from_numpy(np.asarray(pictures, dtype=np.float32) / 255).to(device)


def as_numbers(values, device):
    """A copy: what is mapped into memory cannot be written to, and PyTorch warns of that."""
    return torch.from_numpy(np.array(values, dtype=np.int64)).to(device)


if __name__ == "__main__":
    main(sys.argv[1])
