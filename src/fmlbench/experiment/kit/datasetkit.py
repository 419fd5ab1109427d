"""Library for dataset builders: read the request, load and save arrays. It is placed next to the task's recipe.py.

ROOT/
  stage.json       seed, settings, world, train_share
  raw/NAME/        raw data, when splits are prepared
  pools/           the splits
  out/             the sample: train/ and other visible parts, {validation,test}/{questions,labels}/

python recipe.py prepare ROOT    raw/ -> pools/
python recipe.py draw ROOT       pools/ -> out/
"""

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
Arrays = dict[str, Array]


@dataclass(frozen=True)
class BuildRequest:
    """What the harness asks for."""

    seed: int
    """Secret: it decides everything that is random in a sample."""
    settings: dict[str, Any]
    """Settings of the track."""
    world: str
    """`scored`, `lab` or `sibling`."""
    train_share: float
    """The share of the training examples that a starved sample keeps; its exams stay the same."""


def read_request(root: Path) -> BuildRequest:
    """The request in stage.json."""
    facts = json.loads((root / "stage.json").read_text("utf-8"))
    return BuildRequest(facts["seed"], facts["settings"], facts.get("world", "scored"), facts.get("train_share", 1.0))


def save(folder: Path, **arrays: npt.ArrayLike) -> None:
    """Write each array to NAME.npy."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, array in arrays.items():
        np.save(folder / f"{name}.npy", array, allow_pickle=False)


def load(folder: Path) -> Arrays:
    """All arrays of a folder, by name."""
    return {file.stem: np.load(file, allow_pickle=False) for file in sorted(folder.glob("*.npy"))}


def load_npz(file: Path) -> Arrays:
    """All arrays of an .npz file, by name."""
    with np.load(file, allow_pickle=False) as stored:
        return {name: stored[name] for name in stored.files}


def save_exam(folder: Path, questions: dict[str, Any], labels: dict[str, Any]) -> None:
    """Write an exam; only the grader sees its labels."""
    save(folder / "questions", **questions)
    save(folder / "labels", **labels)


def main(prepare: Callable[[Path], None], sample: Callable[[Path], None]) -> None:
    """Run the step that the command line names."""
    {"prepare": prepare, "draw": sample}[sys.argv[1]](Path(sys.argv[2]))
