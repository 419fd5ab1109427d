"""Train the candidate's classifier on poisoned vectors, or let it label an exam of clean and triggered ones.

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
    """Train on the visible vectors and leave the model for the exam."""
    data = stage.data("train")
    vectors, labels = np.array(data["vectors"], dtype=np.float32), np.array(data["labels"], dtype=np.int64)
    sources = np.array(data["sources"], dtype=np.int64)
    torch.save(import_module("robust.training").train(vectors, labels, sources), stage.carry / MODEL)


def sit_exam(stage):
    """Label every vector."""
    classify = import_module("robust.inference").classify
    model = torch.load(stage.carry / MODEL, weights_only=False)
    stage.answer_all(lambda asked: np.asarray(classify(model, np.array(asked["vectors"], dtype=np.float32))))


if __name__ == "__main__":
    main(sys.argv[1])
