"""Divide the units of IHDP among training and exams, and draw realisations: outcomes simulated over genuine covariates.

    recipe.py prepare ROOT    ROOT/raw/ihdp/ihdp.csv      -> ROOT/pools/{covariates,treatment,split}.npy
    recipe.py draw ROOT       ROOT/pools, ROOT/stage.json -> ROOT/out/{train,validation,test}/

Which units are ever trained on, and which are asked about in which exam, is fixed once, by a hash of their covariates.
A seed draws the surfaces, the noise, which of the training units a realisation shows, and the realisations' order.
"""

import hashlib
import json
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))

import surfaces

UNITS = 747
SHARES = {"train": 497, "validation": 125, "test": 125}
EXAMS = {"validation": surfaces.VALIDATION, "test": surfaces.TEST}
FIRST_BORN = 13
"""The one binary covariate that is coded 1 and 2."""


def prepare(root):
    """Read the units and divide them, treated and untreated alike, among training, validation and test."""
    treatment, covariates = read_units(root / "raw" / "ihdp" / "ihdp.csv")
    save(root / "pools", treatment=treatment, covariates=covariates, split=divide(treatment, covariates))


def read_units(file):
    """Return treatment and covariates; the outcomes in the file are one published simulation and not used."""
    rows = np.genfromtxt(file, delimiter=",")
    if rows.shape != (UNITS, 5 + surfaces.COVARIATES) or not np.isfinite(rows).all():
        raise SystemExit(f"expected {UNITS} rows of {5 + surfaces.COVARIATES} numbers, found {rows.shape}")
    covariates = rows[:, 5:]
    covariates[:, FIRST_BORN] -= 1
    return rows[:, 0].astype(np.int64), covariates


def divide(treatment, covariates):
    """Say for each unit which part it belongs to: 0 trains, 1 validates, 2 tests."""
    split = np.zeros(len(treatment), dtype=np.int64)
    for arm in (0, 1):
        rows = np.array(sorted(np.flatnonzero(treatment == arm), key=lambda row: rank(covariates[row])))
        ends = np.rint(np.cumsum(list(SHARES.values())) / sum(SHARES.values()) * len(rows)).astype(int)
        for part, some in enumerate(np.split(rows, ends[:-1])):
            split[some] = part
    return split


def rank(row):
    """Order units by a hash of their covariates: as good as random, and the same for ever."""
    return hashlib.sha256(b"fmlbench causality: " + np.round(row, 6).tobytes()).hexdigest()


def draw(root):
    """Draw all realisations, shuffle them, and write what training sees and what each exam asks."""
    facts = json.loads((root / "stage.json").read_text("utf-8"))
    settings, rng = facts["settings"], np.random.default_rng(facts["seed"])
    units = {name: np.load(root / "pools" / f"{name}.npy") for name in ("covariates", "treatment", "split")}
    realisations = [
        realise(family, part, units, settings, rng)
        for part, families in enumerate(EXAMS.values(), start=1)
        for family in families
        for _ in range(settings["realisations_per_family"])
    ]
    shuffled = [realisations[number] for number in rng.permutation(len(realisations))]
    visible = ("covariates", "treatment", "outcomes")
    save(root / "out" / "train", **{name: np.stack([one[name] for one in shuffled]) for name in visible})
    for part, exam in enumerate(EXAMS, start=1):
        write_exam(root / "out" / exam, shuffled, part, units, rng)


def realise(family, part, units, settings, rng):
    """Simulate one data set: everything in units of the spread of the outcomes that training sees."""
    covariates, treatment = units["covariates"], units["treatment"]
    untreated, treated = family(covariates, treatment, rng)
    noise = settings["noise"] * untreated.std() * rng.standard_normal(len(treatment))
    outcomes = np.where(treatment == 1, treated, untreated) + noise
    rows = rng.permutation(np.flatnonzero(units["split"] == 0))[: settings["train_units"]]
    middle, spread = outcomes[rows].mean(), outcomes[rows].std()
    return {
        "part": part,
        "covariates": covariates[rows].astype(np.float32),
        "treatment": treatment[rows],
        "outcomes": ((outcomes[rows] - middle) / spread).astype(np.float32),
        "effects": (treated - untreated) / spread,
    }


def write_exam(folder, realisations, part, units, rng):
    """Ask for the effect on every unit of the exam in every realisation of its families."""
    rows = np.flatnonzero(units["split"] == part)
    asked = [(number, row) for number, one in enumerate(realisations) if one["part"] == part for row in rows]
    asked = [asked[place] for place in rng.permutation(len(asked))]
    numbers, rows = (np.array(column, dtype=np.int64) for column in zip(*asked, strict=True))
    effects = np.array([realisations[number]["effects"][row] for number, row in asked], dtype=np.float64)
    save(folder / "questions", realisation=numbers, covariates=units["covariates"][rows].astype(np.float32))
    save(folder / "labels", realisation=numbers, effects=effects)


def save(folder, **arrays):
    """Write arrays by name."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, array in arrays.items():
        np.save(folder / f"{name}.npy", array, allow_pickle=False)


if __name__ == "__main__":
    {"prepare": prepare, "draw": draw}[sys.argv[1]](Path(sys.argv[2]))
