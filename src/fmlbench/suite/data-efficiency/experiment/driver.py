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
    """Run the stage that ``root`` describes."""
    stage = begin(root)
    {"train": train, "exam": answer_exam}[stage.name](stage)


def train(stage):
    """Train on the visible vectors and leave the model for the exam."""
    data = stage.data("train")
    model = import_module("fewshot.training").train(as_vectors(data["vectors"]), as_labels(data["labels"]))
    torch.save(model, stage.carry / MODEL)


def answer_exam(stage):
    """Answer each episode independently."""
    classify = import_module("fewshot.inference").classify
    model = torch.load(stage.carry / MODEL, weights_only=False)

    def respond(episode):
        support, queries = as_vectors(episode["support_vectors"]), as_vectors(episode["query_vectors"])
        answer = classify(model, support, as_labels(episode["support_labels"]), queries)
        return torch.as_tensor(answer).to(torch.int64).numpy()

    stage.answer_each(respond)


def as_vectors(vectors):
    """A copy, because PyTorch warns of read-only memory."""
    return torch.from_numpy(np.array(vectors, dtype=np.float32))


def as_labels(labels):
    """A copy, likewise."""
    return torch.from_numpy(np.array(labels, dtype=np.int64))


if __name__ == "__main__":
    main(sys.argv[1])
