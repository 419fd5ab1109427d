"""Draw observational studies: genuine covariates, secret factors, random outcomes.

    recipe.py prepare ROOT    ROOT/raw/{ihdp,adult}       -> ROOT/pools/{infants,adults}_{covariates,split}.npy
    recipe.py draw ROOT       ROOT/pools, ROOT/stage.json -> ROOT/out/{train,validation,test}/

Which units are ever trained on, and which are asked about in which exam, is fixed. A seed draws how covariates are
disguised, the factors that all realisations of the draw have in common, and every realisation's surfaces,
circumstances, units and noise.
"""

import numpy as np
from datasetkit import main, read_request, save, save_exam
import populations
import realisation
import surfaces
import yardstick

EXAMS = {"validation": 1, "test": 2}
POPULATION = {"scored": "infants", "lab": "infants", "sibling": "adults"}
JITTER = 0.1
"""Noise on every covariate, in units of its spread: no exam shows a public row."""
LEAST_OF_AN_ARM = 2
"""A starved draw keeps so many units of either arm."""


def prepare(root):
    """Read both populations and divide them among training, validation and test."""
    read = {
        "infants": populations.read_infants(root / "raw" / "ihdp" / "ihdp.csv"),
        "adults": populations.read_adults(root / "raw" / "adult" / "adult.data"),
    }
    for name, covariates in read.items():
        split = populations.divide(covariates)
        save(root / "pools", **{f"{name}_covariates": covariates, f"{name}_split": split})


def draw(root):
    """Draw the realisations of both exams, shuffle them, and write what training sees and what each exam asks."""
    request = read_request(root)
    settings, rng = request.settings, np.random.default_rng(request.seed)
    world = request.world
    units = load_units(root / "pools", POPULATION[world], settings["factors"], rng)
    studies = [
        {"exam": exam, **run_study(units, part, world, given, settings, rng)}
        for exam, part in EXAMS.items()
        for given in realisation.draw_circumstances(settings["realisations"], rng)
    ]
    studies = [studies[number] for number in rng.permutation(len(studies))]
    kept = [keep_some(study["treatment"], request.train_share, rng) for study in studies]
    for name in ("covariates", "treatment", "outcomes"):
        values = np.stack([study[name][rows] for study, rows in zip(studies, kept, strict=True)])
        save(root / "out" / "train", **{name: values})
    for exam in EXAMS:
        write_exam(root / "out" / exam, studies, exam, rng)


def load_units(pools, population, factors, rng):
    """Load a population, disguise its covariates, and draw the secret factors."""
    covariates = disguise(np.load(pools / f"{population}_covariates.npy"), rng)
    directions = rng.normal(size=(covariates.shape[1], factors))
    directions /= (covariates @ directions).std(axis=0)
    return {"covariates": covariates, "directions": directions, "split": np.load(pools / f"{population}_split.npy")}


def disguise(covariates, rng):
    """Rotate the continuous covariates among themselves, recode binary ones, and shuffle the columns."""
    first = populations.CONTINUOUS
    rotation, _ = np.linalg.qr(rng.normal(size=(first, first)))
    turned = surfaces.standardise(covariates[:, :first] @ rotation)
    recoded = covariates[:, first:] * rng.choice([-1, 1], covariates.shape[1] - first)
    both = np.column_stack([turned, recoded])
    return both[:, rng.permutation(both.shape[1])]


def run_study(units, part, world, given, settings, rng):
    """Simulate one realisation on units of training and of one exam; what training sees has spread one."""
    seen = settings["train_units"]
    rows = np.concatenate(
        [
            rng.choice(np.flatnonzero(units["split"] == 0), seen),
            rng.choice(np.flatnonzero(units["split"] == part), settings["exam_units"]),
        ]
    )
    covariates = units["covariates"][rows]
    covariates = covariates + JITTER * rng.normal(size=covariates.shape)
    factors = covariates @ units["directions"]
    treatment, outcomes, effects = realisation.simulate(factors, world, given, rng)
    middle, spread = outcomes[:seen].mean(), outcomes[:seen].std()
    outcomes, effects = (outcomes[:seen] - middle) / spread, effects[seen:] / spread
    return {
        "covariates": covariates[:seen].astype(np.float32),
        "treatment": treatment[:seen],
        "outcomes": outcomes.astype(np.float32),
        "asked": covariates[seen:].astype(np.float32),
        "effects": effects,
        "yardstick": yardstick.measure(factors[:seen], treatment[:seen], outcomes, factors[seen:], effects),
    }


def keep_some(treatment, share, rng):
    """Choose the units that training sees: all of them, or the share that a starved draw keeps."""
    order = rng.permutation(len(treatment))
    if share >= 1:
        return order
    needed = np.concatenate([order[treatment[order] == arm][:LEAST_OF_AN_ARM] for arm in (0, 1)])
    others = order[~np.isin(order, needed)]
    return np.concatenate([needed, others[: max(0, round(share * len(treatment)) - len(needed))]])


def write_exam(folder, studies, exam, rng):
    """Ask for the effect on every unit of every realisation of an exam, in random order."""
    numbers = [number for number, study in enumerate(studies) if study["exam"] == exam]
    size = len(studies[0]["asked"])
    order = rng.permutation(len(numbers) * size)
    realisations = np.repeat(numbers, size)[order]
    covariates, effects = (
        np.concatenate([studies[number][name] for number in numbers])[order] for name in ("asked", "effects")
    )
    yardsticks = np.array([study["yardstick"] for study in studies])[realisations]
    save_exam(
        folder,
        {"realisation": realisations, "covariates": covariates},
        {"realisation": realisations, "effects": effects, "yardstick": yardsticks},
    )


if __name__ == "__main__":
    main(prepare=prepare, sample=draw)
