"""Train the candidate's classifier on poisoned pictures, or let it label an exam of clean and triggered ones.

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
    # The toolbox goes on without a word on the CPU where there is no GPU; this fails.
    torch.empty(1, device=stage.settings["device"])
    {"train": train, "exam": sit_exam}[stage.name](stage)


def train(stage):
    """Train on the visible pictures and leave the model for the exam."""
    data, settings = stage.data("train"), stage.settings
    labels = np.array(data["labels"], dtype=np.int64)
    images = as_images(data["images"])
    model = import_module("robust.training").train(images, labels, settings["epochs"], settings["device"])
    torch.save(model, stage.carry / MODEL)


def sit_exam(stage):
    """Label every picture."""
    classify, device = import_module("robust.inference").classify, stage.settings["device"]
    model = torch.load(stage.carry / MODEL, map_location=device, weights_only=False)

    def respond(questions):
        labels = torch.as_tensor(classify(model, torch.from_numpy(as_images(questions["images"])).to(device)))
        return labels.cpu().numpy()

    stage.answer_all(respond)


def as_images(pictures):
    """[n, 20, 20] bytes become [n, 1, 20, 20] numbers between 0 and 1."""
    return np.asarray(pictures, dtype=np.float32)[:, None] / 255


if __name__ == "__main__":
    main(sys.argv[1])
