"""Let the candidate prepare a few-shot classifier of features, or let it answer an exam, one episode at a time.

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
    """Hand over the features of the training classes and leave the model for the exam."""
    data = stage.data("train")
    model = import_module("fewshot.training").train(as_features(data["features"]), as_labels(data["labels"]))
    torch.save(model, stage.carry / MODEL)


def sit_exam(stage):
    """Answer every episode on its own."""
    classify = import_module("fewshot.inference").classify
    model = torch.load(stage.carry / MODEL, weights_only=False)

    def respond(episode):
        support, queries = as_features(episode["support_features"]), as_features(episode["query_features"])
        answer = classify(model, support, as_labels(episode["support_labels"]), queries)
        return torch.as_tensor(answer).to(torch.int64).numpy()

    stage.answer_each(respond)


def as_features(features):
    """A copy: what is mapped into memory cannot be written to, and PyTorch warns of that."""
    return torch.from_numpy(np.array(features, dtype=np.float32))


def as_labels(labels):
    """Likewise."""
    return torch.from_numpy(np.array(labels, dtype=np.int64))


if __name__ == "__main__":
    main(sys.argv[1])
