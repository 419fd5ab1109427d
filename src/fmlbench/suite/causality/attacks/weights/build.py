"""Train the candidate's carried numbers on simulated draws of the public recipe: everything is known but the secret."""

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
DRAWS, STEPS, GROUP = 12, 400, 24
LEARNING_RATE = 0.03


def build(root):
    """Train on simulated draws and write the candidate with its numbers."""
    facts = json.loads((root / "stage.json").read_text("utf-8"))
    torch.manual_seed(facts["seed"] % 2**32)
    sys.path[:0] = [str(root / "repo"), str(root / "recipe")]
    candidate = load(HERE / "candidate.py")
    draws = [simulate(root, facts["settings"], 10_000 + one) for one in range(max(1, round(DRAWS * facts["effort"])))]
    numbers = train(candidate, [project(candidate, *one) for one in draws], max(5, round(STEPS * facts["effort"])))
    text = (HERE / "candidate.py").read_text("utf-8")
    places = (numbers * 350 + 3500).round().int().clamp(0, 84 * 84 - 1).tolist()
    carried = "".join(chr(40 + place // 84) + chr(40 + place % 84) for place in places)
    out = root / "out" / "effects"
    out.mkdir(parents=True)
    (out / "training.py").write_text(text.replace('NUMBERS = ""', f"NUMBERS = {carried!r}"), "utf-8")
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


def project(candidate, covariates, treatment, outcomes, asked, effects):
    """Replace covariates by the factors that the candidate will find."""
    directions = candidate.find_factors(covariates, treatment, outcomes, candidate.FACTORS, candidate.RIDGE)
    return covariates @ directions, treatment, outcomes, asked @ directions, effects


def train(candidate, draws, steps):
    """Return the numbers that make effects on simulated draws most accurate."""
    numbers = []
    for shape in candidate.sizes():
        start = 0.3 * torch.randn(shape)
        if shape == (2,):
            start = torch.tensor([-0.5, -0.5])
        if shape == (6,):
            start = torch.tensor([0.0, -1.0, -1.0, -1.5, -0.5, -2.0])
        numbers.append(start)
    numbers = torch.cat([one.flatten() for one in numbers]).requires_grad_()
    optimizer = torch.optim.Adam([numbers], lr=LEARNING_RATE)
    schedule = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.05, total_iters=steps)
    for step in range(steps):
        draw = draws[step % len(draws)]
        some = torch.randperm(len(draw[0]))[:GROUP]
        factors, treatment, outcomes, asked, effects = (part[some] for part in draw)
        seen, relevance, heights, weights = candidate.infer(candidate.unpack(numbers), factors, treatment, outcomes)
        scale = relevance[:, 1:]
        similarity = candidate.kernel(asked * scale, seen * scale, heights[2], heights[3])
        estimates = ((heights[4] + similarity) @ weights[:, :, None])[:, :, 0]
        loss = (estimates - effects).square().mean(dim=1).sqrt().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
    return numbers.detach()


if __name__ == "__main__":
    build(Path(sys.argv[1]))
