"""Let the candidate learn one context, or answer an exam about all of them.

The state passes from stage to stage as the candidate's own objects, whatever they are made of: they are loaded in the
same sandbox as the code that made them, so there is nothing to protect. The harness limits their size.
"""

import pickle
import sys
from importlib import import_module

import numpy as np
import torch
from torchkit import begin, seed_random_numbers

STATE = "state.pt"
CONTEXT = "context-"


def main(root):
    """Do the stage that ``root`` says."""
    stage = begin(root)
    seed_random_numbers(stage.seed + context_number(stage))
    sit_exam(stage) if stage.name == "exam" else learn(stage)


def context_number(stage):
    """From 1; 0 in an exam."""
    return int(stage.name.removeprefix(CONTEXT)) if stage.name.startswith(CONTEXT) else 0


def learn(stage):
    """Learn from the one context this stage sees, starting from what the last one left."""
    data = stage.data(stage.name)
    state = None if context_number(stage) == 1 else load(stage)
    state = import_module("continual.learner").learn(as_vectors(data["vectors"]), as_labels(data["labels"]), state)
    # The default protocol would write bytes and NumPy arrays at one and a half times their size.
    torch.save(state, stage.carry / STATE, pickle_protocol=pickle.HIGHEST_PROTOCOL)


def sit_exam(stage):
    """Name the class of every vector."""
    predict = import_module("continual.learner").predict
    state = load(stage)

    def respond(questions):
        answers = predict(state, as_vectors(questions["vectors"]))
        return torch.as_tensor(answers).to(torch.int64).numpy()

    stage.answer_all(respond)


def load(stage):
    """What the last context left."""
    return torch.load(stage.carry / STATE, weights_only=False)


def as_vectors(vectors):
    """A copy: what is mapped into memory cannot be written to, and PyTorch warns of that."""
    return torch.from_numpy(np.array(vectors, dtype=np.float32))


def as_labels(labels):
    """A copy, as above."""
    return torch.from_numpy(np.array(labels, dtype=np.int64))


if __name__ == "__main__":
    main(sys.argv[1])
