"""Train one model for each population, or let the models decide about an exam's people.

The models pass from training to the exam as the candidate's own objects. They are loaded in the same sandbox as the
code that made them, so there is nothing to protect.
"""

import sys
from importlib import import_module

import numpy as np
import torch
from torchkit import begin

MODELS = "models.pt"


def main(root):
    """Do the stage that ``root`` says."""
    stage = begin(root)
    {"train": train, "exam": sit_exam}[stage.name](stage)


def train(stage):
    """Train one model after the other, each on the rows of its population, and leave them for the exam."""
    candidate = import_module("odds.training")
    data = stage.data("train")
    columns = [torch.from_numpy(np.array(data[name])) for name in ("features", "labels", "groups")]
    models = [candidate.train(*(column.clone() for column in rows)) for rows in zip(*columns, strict=True)]
    torch.save(models, stage.carry / MODELS)


def sit_exam(stage):
    """Let every model decide about the people of its population."""
    decide = import_module("odds.inference").decide
    models = torch.load(stage.carry / MODELS, weights_only=False)

    def respond(questions):
        populations = np.asarray(questions["populations"])
        answers = np.zeros(len(populations), dtype=np.int64)
        for number, model in enumerate(models):
            asked = np.flatnonzero(populations == number)
            if len(asked) == 0:
                continue
            features = torch.from_numpy(np.array(questions["features"][asked]))
            answers[asked] = torch.as_tensor(decide(model, features)).to(torch.int64).numpy()
        return answers

    stage.answer_all(respond)


if __name__ == "__main__":
    main(sys.argv[1])
