"""Train the candidate's classifier on the seen domains, or let it label an exam that mixes these with others.

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
    """Run the stage that ``root`` describes."""
    stage = Stage(root)
    torch.set_num_threads(stage.threads)
    # Candidate code is imported only after this, so that random numbers it uses at import are seeded, too.
    random.seed(stage.seed)
    np.random.seed(stage.seed % 2**32)
    torch.manual_seed(stage.seed)
    {"train": train, "exam": sit_exam}[stage.name](stage)


def train(stage):
    """Train on the seen domains and leave the model for the exam."""
    data = stage.data("train")
    labels, domains = as_numbers(data["labels"]), as_numbers(data["domains"])
    model = import_module("generalize.training").train(as_vectors(data["readings"]), labels, domains)
    torch.save(model, stage.carry / MODEL)


def sit_exam(stage):
    """Label every reading."""
    classify = import_module("generalize.inference").classify
    model = torch.load(stage.carry / MODEL, weights_only=False)
    stage.answer_all(lambda questions: torch.as_tensor(classify(model, as_vectors(questions["readings"]))).numpy())


def as_vectors(readings):
    """A copy as float32: what is mapped into memory cannot be written to, and PyTorch warns of that."""
    return torch.from_numpy(np.array(readings, dtype=np.float32))


def as_numbers(values):
    """A copy as int64, for the same reason."""
    return torch.from_numpy(np.array(values, dtype=np.int64))


if __name__ == "__main__":
    main(sys.argv[1])
