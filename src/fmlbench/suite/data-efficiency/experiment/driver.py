"""Train the candidate's few-shot classifier, or let it answer an exam, one episode at a time.

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
    """Train on the visible drawings and leave the model for the exam."""
    data = stage.data("train")
    model = import_module("fewshot.training").train(as_images(data["images"]), as_labels(data["labels"]))
    torch.save(model, stage.carry / MODEL)


def sit_exam(stage):
    """Answer every episode on its own."""
    classify = import_module("fewshot.inference").classify
    model = torch.load(stage.carry / MODEL, weights_only=False)

    def respond(episode):
        support_images, query_images = as_images(episode["support_images"]), as_images(episode["query_images"])
        answer = classify(model, support_images, as_labels(episode["support_labels"]), query_images)
        return torch.as_tensor(answer).to(torch.int64).numpy()

    stage.answer_each(respond)


def as_images(drawings):
    """[n, 28, 28] bytes become [n, 1, 28, 28] numbers between 0 and 1."""
    return torch.from_numpy(np.asarray(drawings, dtype=np.float32) / 255).unsqueeze(1)


def as_labels(labels):
    """A copy: what is mapped into memory cannot be written to, and PyTorch warns of that."""
    return torch.from_numpy(np.array(labels, dtype=np.int64))


if __name__ == "__main__":
    main(sys.argv[1])
