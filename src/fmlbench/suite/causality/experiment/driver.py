"""Let the candidate fit every realisation, or ask what it fitted for effects.

Models pass from training to the exam as the candidate's own objects, whatever they are made of: they are loaded in the
same sandbox as the code that made them, so there is nothing to protect.
"""

import random
import sys
from importlib import import_module

import numpy as np
import torch
from stagekit import Stage

MODELS = "models.pt"


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
    """Fit all realisations and leave the models for the exam."""
    data = stage.data("train")
    seen = (as_tensor(data[name]) for name in ("covariates", "treatment", "outcomes"))
    torch.save(import_module("effects.training").train(*seen), stage.carry / MODELS)


def sit_exam(stage):
    """Answer with one effect for each question."""
    predict = import_module("effects.inference").predict
    models = torch.load(stage.carry / MODELS, weights_only=False)

    def respond(questions):
        effects = predict(models, as_tensor(questions["realisation"]), as_tensor(questions["covariates"]))
        return torch.as_tensor(effects).detach().to(torch.float32).numpy()

    stage.answer_all(respond)


def as_tensor(array):
    """A copy: what is mapped into memory cannot be written to, and PyTorch warns of that."""
    return torch.from_numpy(np.array(array))


if __name__ == "__main__":
    main(sys.argv[1])
