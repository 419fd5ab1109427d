"""Let the candidate learn from pairs of views, or let it turn the vectors of an exam into features.

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
    {"train": train, "exam": sit_exam}[stage.name](stage)


def train(stage):
    """Train on the pairs, which have no labels, and leave the model for the exam."""
    pairs = stage.data("train")
    model = import_module("represent.training").train(as_tensor(pairs["first"]), as_tensor(pairs["second"]))
    torch.save(model, stage.carry / MODEL)


def sit_exam(stage):
    """Give the features of every vector; nothing tells which ones the probe is fitted to."""
    embed = import_module("represent.inference").embed
    model = torch.load(stage.carry / MODEL, weights_only=False)

    def respond(questions):
        with torch.no_grad():
            features = torch.as_tensor(embed(model, as_tensor(questions["vectors"])))
        return features.to(torch.float32).numpy()

    stage.answer_all(respond)


def as_tensor(vectors):
    """A tensor of its own, which the candidate may write to."""
    return torch.from_numpy(np.array(vectors, dtype=np.float32))


if __name__ == "__main__":
    main(sys.argv[1])
