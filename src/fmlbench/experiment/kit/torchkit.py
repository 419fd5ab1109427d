"""Setup for drivers of PyTorch tasks: fixed thread count and random seeds.

Import candidate code only after ``begin``, so that random numbers drawn at import are seeded too.
"""
# pyright: basic, reportMissingImports=false

import random
from pathlib import Path

import numpy as np
import torch
from stagekit import Stage


def begin(root: str | Path) -> Stage:
    """Return the stage at ``root`` after setting PyTorch's threads and all seeds."""
    stage = Stage(root)
    torch.set_num_threads(stage.threads)
    seed_random_numbers(stage.seed)
    return stage


def seed_random_numbers(seed: int) -> None:
    """Seed every generator that candidate code may use."""
    random.seed(seed)
    np.random.seed(seed % 2**32)
    torch.manual_seed(seed % 2**63)
