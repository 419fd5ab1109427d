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
    {"train": train, "exam": sit_exam}[stage.name](stage)


def train(stage):
    """Train on the visible pictures and leave the model for the exam."""
    data = stage.data("train")
    labels = np.array(data["labels"], dtype=np.int64)
    model = import_module("robust.training").train(as_images(data["images"]), labels)
    torch.save(model, stage.carry / MODEL)


def sit_exam(stage):
    """Label every picture."""
    classify = import_module("robust.inference").classify
    model = torch.load(stage.carry / MODEL, weights_only=False)
    stage.answer_all(lambda questions: np.asarray(classify(model, as_images(questions["images"]))))


def as_images(pictures):
    """[n, 20, 20] bytes become [n, 1, 20, 20] numbers between 0 and 1."""
    return np.asarray(pictures, dtype=np.float32)[:, None] / 255


if __name__ == "__main__":
    main(sys.argv[1])
