"""Fit kernels on the baseline's trained network to simulated draws of the recipe: only the secret is unknown."""

import importlib
import importlib.util
import json
import shutil
import sys
import tempfile
from pathlib import Path

import numpy as np
import torch

HERE = Path(__file__).parent
DRAWS, STEPS, GROUP = 12, 400, 16
LEARNING_RATE = 0.04
START = (1.0, 0.4, 1.7, 0.7, 0.3, 1.7, 0.1, 0.15, 1.7, 0.17, 0.06, 1.7, 0.15, 0.19)
"""The baseline's own constants."""


def build(root):
    """Train on simulated draws and write the candidate with its numbers."""
    facts = json.loads((root / "stage.json").read_text("utf-8"))
    torch.manual_seed(facts["seed"] % 2**32)
    sys.path[:0] = [str(root / "repo"), str(root / "recipe")]
    training, candidate = load(root / "repo" / "effects" / "training.py"), load(HERE / "candidate.py")
    draws = [simulate(root, facts["settings"], 10_000 + one) for one in range(max(1, round(DRAWS * facts["effort"])))]
    seen = [project(training, candidate, *one) for one in draws]
    numbers = (train(candidate, seen, max(5, round(STEPS * facts["effort"]))) * 100).round().int().tolist()
    out = root / "out" / "effects"
    out.mkdir(parents=True)
    text = (HERE / "candidate.py").read_text("utf-8")
    (out / "carried.py").write_text(text.replace("NUMBERS = []", f"NUMBERS = {numbers}"), "utf-8")
    text = (root / "repo" / "effects" / "training.py").read_text("utf-8")
    text = text.replace("return finish(", "return carried.finish(").replace(
        "import torch\n", "import torch\n\nfrom effects import carried", 1
    )
    (out / "training.py").write_text(text, "utf-8")
    shutil.copy(HERE / "inference.py", out / "inference.py")


def load(file):
    """Import a file as a module."""
    spec = importlib.util.spec_from_file_location(file.stem, file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def simulate(root, settings, seed):
    """Return one draw of the scored world: what training sees, and the questions of both exams with their effects."""
    with tempfile.TemporaryDirectory() as folder:
        here = Path(folder)
        (here / "pools").symlink_to(root / "pools")
        (here / "stage.json").write_text(json.dumps({"seed": seed, "settings": settings}), "utf-8")
        importlib.import_module("recipe").draw(here)
        seen = [
            torch.from_numpy(np.load(here / "out" / "train" / f"{name}.npy"))
            for name in ("covariates", "treatment", "outcomes")
        ]
        asked, effects = [None] * len(seen[0]), [None] * len(seen[0])
        for exam in ("validation", "test"):
            part = here / "out" / exam
            numbers, rows = (np.load(part / "questions" / f"{name}.npy") for name in ("realisation", "covariates"))
            truth = np.load(part / "labels" / "effects.npy")
            for number in np.unique(numbers):
                asked[number] = torch.from_numpy(rows[numbers == number])
                effects[number] = torch.from_numpy(truth[numbers == number]).float()
    return *seen, torch.stack(asked), torch.stack(effects)


def project(training, candidate, covariates, treatment, outcomes, asked, effects):
    """Train the baseline and replace covariates by what its network makes of them."""
    directions = training.find_factors(covariates, treatment, outcomes, training.FACTORS, training.RIDGE)
    net = training.SharedDragonNet(directions, len(covariates), training.LAYERS, training.WIDTH)
    training.fit(net, covariates, treatment, outcomes)
    views, scaling = candidate.describe(net, covariates)
    return views, treatment, outcomes, candidate.describe(net, asked, scaling)[0], effects


def train(candidate, draws, steps):
    """Return the numbers that make effects on simulated draws most accurate."""
    numbers = torch.zeros(candidate.CONSTANTS * (candidate.STATISTICS + 1))
    numbers[: candidate.CONSTANTS] = torch.tensor(START).log()
    numbers.requires_grad_()
    optimizer = torch.optim.Adam([numbers], lr=LEARNING_RATE)
    schedule = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.05, total_iters=steps)
    for step in range(steps):
        views, treatment, outcomes, asked, effects = draws[step % len(draws)]
        some = torch.randperm(len(effects))[:GROUP]
        views, asked = ([one[some] for one in both] for both in (views, asked))
        constants, weights = candidate.infer(numbers, views, treatment[some], outcomes[some])
        similarity = candidate.kernel(asked, views, constants[6:12])
        estimates = ((constants[12] + similarity) @ weights[:, :, None])[:, :, 0]
        loss = (estimates - effects[some]).square().mean(dim=1).sqrt().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
    return numbers.detach()


if __name__ == "__main__":
    build(Path(sys.argv[1]))
