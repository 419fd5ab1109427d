"""Train the candidate's models on both sources, or let them decide about an exam's rows.

The models pass from training to the exam as the candidate's own objects, whatever they are made of: they are loaded in
the same sandbox as the code that made them, so there is nothing to protect.
"""

import random
import sys
from importlib import import_module

import numpy as np
import torch
from stagekit import Stage

MODELS = "models.pt"
SOURCES = ("compas", "adult")
COMPAS_NUMBERS = slice(1, 8)
ADULT_NUMBERS = slice(1, 6)
ADULT_AMOUNTS = slice(3, 5)
ADULT_CATEGORIES = {6: 7, 7: 7, 8: 14, 9: 5}
"""By column, how many values it has: workclass, marital status, occupation, race."""


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
    """Train one model after the other, each on rows of its own, and leave them for the exam."""
    candidate = import_module("odds.training")
    data = stage.data("train")
    models = {}
    for source in SOURCES:
        models[source] = []
        for rows, labels in zip(data[f"{source}_rows"], data[f"{source}_labels"], strict=True):
            features, groups = encode(source, rows)
            models[source].append(candidate.train(features, groups, torch.from_numpy(np.array(labels))))
    torch.save(models, stage.carry / MODELS)


def sit_exam(stage):
    """Let every model decide about every row of its source."""
    decide = import_module("odds.inference").decide
    models = torch.load(stage.carry / MODELS, weights_only=False)

    def respond(questions):
        sources = np.asarray(questions["sources"])
        answers = np.zeros((len(sources), len(models[SOURCES[0]])), dtype=np.int64)
        for number, source in enumerate(SOURCES):
            asked = np.flatnonzero(sources == number)
            if len(asked) == 0:
                continue
            features, groups = encode(source, questions["rows"][asked])
            for column, model in enumerate(models[source]):
                answers[asked, column] = torch.as_tensor(decide(model, features, groups)).to(torch.int64).numpy()
        return answers

    stage.answer_all(respond)


def encode(source, rows):
    """Whole numbers become [n, d] features without the protected group, and [n] groups."""
    rows = np.asarray(rows, dtype=np.int64)
    encoded = {"compas": encode_compas, "adult": encode_adult}[source](rows)
    return torch.from_numpy(encoded.astype(np.float32)), torch.from_numpy(rows[:, 0].copy())


def encode_compas(rows):
    """Age, prior offences, three counts of juvenile offences, felony, male."""
    return rows[:, COMPAS_NUMBERS]


def encode_adult(rows):
    """Age, years of education, weekly hours, logarithms of capital gain and loss, four categories one-hot."""
    numbers = rows[:, ADULT_NUMBERS].astype(np.float64)
    numbers[:, ADULT_AMOUNTS] = np.log1p(numbers[:, ADULT_AMOUNTS])
    return np.hstack([numbers, *(np.eye(size)[rows[:, column]] for column, size in ADULT_CATEGORIES.items())])


if __name__ == "__main__":
    main(sys.argv[1])
