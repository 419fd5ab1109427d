"""Train the candidate's classifier on two domains, or let it label an exam that mixes these with others.

The model passes from training to the exam as the candidate's own objects, whatever they are made of: they are
loaded in the same sandbox as the code that made them, so there is nothing to protect.
"""

import random
import sys
from importlib import import_module

import numpy as np
import torch
from stagekit import Stage

MODEL = "model.pt"


def main(root):
    """Do the stage that ``root`` says."""
    stage = Stage(root)
    torch.set_num_threads(stage.threads)
    # Candidate code is imported only after this, so that whatever it draws at import is seeded too.
    random.seed(stage.seed)
    np.random.seed(stage.seed % 2**32)
    torch.manual_seed(stage.seed)
    {"train": train, "exam": sit_exam}[stage.name](stage)


def train(stage):
    """Train on the visible domains and leave the model for the exam."""
    data = stage.data("train")
    images, labels, domains = as_images(data["images"]), as_numbers(data["labels"]), as_numbers(data["domains"])
    model = import_module("generalize.training").train(images, labels, domains)
    torch.save(model, stage.carry / MODEL)


def sit_exam(stage):
    """Label every picture."""
    classify = import_module("generalize.inference").classify
    model = torch.load(stage.carry / MODEL, weights_only=False)
    stage.answer_all(lambda questions: torch.as_tensor(classify(model, as_images(questions["images"]))).numpy())


def as_images(pictures):
    """[n, 3, 28, 28] bytes become numbers between 0 and 1."""
    return torch.from_numpy(np.asarray(pictures, dtype=np.float32) / 255)


def as_numbers(values):
    """A copy: what is mapped into memory cannot be written to, and PyTorch warns of that."""
    return torch.from_numpy(np.array(values, dtype=np.int64))


if __name__ == "__main__":
    main(sys.argv[1])
