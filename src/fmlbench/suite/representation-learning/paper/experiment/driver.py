"""Let the candidate learn from unlabelled images, or let it turn the images of an exam into features.

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
    """Train on the visible images, which have no labels, and leave the model for the exam."""
    images = as_images(stage.data("train")["images"], stage.settings["device"])
    model = import_module("represent.training").train(images, stage.settings["epochs"])
    torch.save(model, stage.carry / MODEL)


def sit_exam(stage):
    """Give the features of every image; nothing tells those that the probe learns from."""
    embed, device = import_module("represent.inference").embed, stage.settings["device"]
    model = torch.load(stage.carry / MODEL, map_location=device, weights_only=False)

    def respond(questions):
        with torch.no_grad():
            features = torch.as_tensor(embed(model, as_images(questions["images"], device)))
        return features.to("cpu", torch.float32).numpy()

    stage.answer_all(respond)


def as_images(images, device):
    """Bytes become numbers between 0 and 1."""
    return torch.from_numpy(np.asarray(images, dtype=np.float32) / 255).to(device)


if __name__ == "__main__":
    main(sys.argv[1])
