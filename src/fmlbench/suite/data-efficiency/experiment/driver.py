"""Train the candidate's few-shot classifier, or let it answer an exam, one episode at a time.

The model passes from training to the exam as the candidate's own objects, whatever they are made of: they are
loaded in the same sandbox as the code that made them, so there is nothing to protect.
"""

import random
import sys

import numpy as np
import torch
from stagekit import Stage

MODEL = "model.pt"


def main(root):
    """Do the stage that ``root`` says."""
    stage = Stage(root)
    torch.set_num_threads(stage.threads)
    random.seed(stage.seed)
    np.random.seed(stage.seed % 2**32)
    torch.manual_seed(stage.seed)
    {"train": train, "exam": sit_exam}[stage.name](stage)


def train(stage):
    """Train on the visible drawings and leave the model for the exam."""
    from fewshot.training import train as train_classifier

    data = stage.data("train")
    model = train_classifier(as_images(data["images"]), torch.from_numpy(np.array(data["labels"])))
    torch.save(model, stage.carry / MODEL)


def sit_exam(stage):
    """Answer every episode on its own."""
    from fewshot.inference import classify

    model = torch.load(stage.carry / MODEL, weights_only=False)

    def respond(episode):
        answer = classify(
            model,
            as_images(episode["support_images"]),
            torch.from_numpy(episode["support_labels"]),
            as_images(episode["query_images"]),
        )
        return torch.as_tensor(answer).to(torch.int64).numpy()

    stage.answer_each(respond)


def as_images(drawings):
    """[n, 28, 28] bytes become [n, 1, 28, 28] numbers between 0 and 1."""
    return torch.from_numpy(np.array(drawings, dtype=np.float32) / 255).unsqueeze(1)


if __name__ == "__main__":
    main(sys.argv[1])
