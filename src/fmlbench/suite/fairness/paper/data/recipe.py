"""Make pools of COMPAS and Adult rows as AIF360 preprocesses them, and draw training sets and exams from them.

    recipe.py prepare ROOT    ROOT/raw/{compas,adult}/   -> ROOT/pools/SOURCE.npz
    recipe.py draw ROOT       ROOT/pools, ROOT/stage.json -> ROOT/out/{train,validation,test}/

Features and groups are those of AIF360's `load_preproc_data_compas` and `load_preproc_data_adult` with sex protected.
Half of the rows train, a quarter validates, a quarter tests, once and for all; a seed decides which rows of the
training pool each model sees, and the order of everything. A row is five small whole numbers, the sex first.
"""

import csv
import hashlib
import json
import sys
from pathlib import Path

import numpy as np

POOLS = ("train", "validation", "test")
DEALT = (0, 1, 0, 2)
"""The pools that four neighbours go to."""
SOURCES = ("compas", "adult")

COMPAS_RACES = {"African-American": 0, "Caucasian": 1}
COMPAS_AGES = ("25 - 45", "Greater than 45", "Less than 25")
COMPAS_DEGREES = ("F", "M")
MOST_DAYS = 30
"""ProPublica leaves out arrests further from the screening: they may not be what the screening was for."""

ADULT_COLUMNS = (
    *("age", "workclass", "fnlwgt", "education", "education_num", "marital_status", "occupation", "relationship"),
    *("race", "sex", "capital_gain", "capital_loss", "hours_per_week", "native_country", "income"),
)


def prepare(root):
    """Read both sources and deal their rows into pools."""
    for source, read in (("compas", read_compas), ("adult", read_adult)):
        rows, labels, likeness = read(root / "raw" / source)
        pool = deal(source, rows, labels, likeness)
        np.savez(root / "pools" / f"{source}.npz", rows=rows, labels=labels, pool=pool)


def read_compas(folder):
    """ProPublica's two-year file with ProPublica's filters, African-American and Caucasian defendants."""
    with (folder / "compas-scores-two-years.csv").open(encoding="utf-8", newline="") as file:
        lines = csv.reader(file)
        names = next(lines)
        # Two columns occur twice in the file, with the same content; reversed, the first one wins.
        place = {name: number for number, name in reversed(list(enumerate(names)))}
        people = [{name: line[number] for name, number in place.items()} for line in lines]
    people = [person for person in people if is_compas_row(person)]
    rows = [
        [
            int(person["sex"] == "Female"),
            COMPAS_RACES[person["race"]],
            COMPAS_AGES.index(person["age_cat"]),
            quantize_priors(int(person["priors_count"])),
            COMPAS_DEGREES.index(person["c_charge_degree"]),
        ]
        for person in people
    ]
    labels = [int(person["two_year_recid"]) for person in people]
    likeness = [tuple(int(person[name]) for name in ("decile_score", "priors_count", "age")) for person in people]
    return np.array(rows, dtype=np.int16), np.array(labels, dtype=np.int64), likeness


def is_compas_row(person):
    """Whether ProPublica's analysis keeps a row, and AIF360 one of that race."""
    days = person["days_b_screening_arrest"]
    return (
        person["race"] in COMPAS_RACES
        and days != ""
        and abs(int(days)) <= MOST_DAYS
        and person["is_recid"] != "-1"
        and person["c_charge_degree"] != "O"
        and person["score_text"] != "N/A"
    )


def quantize_priors(count):
    """None, one to three, more."""
    return 0 if count <= 0 else 1 if count <= 3 else 2


def read_adult(folder):
    """All rows of both files of the census data: no column that is used has gaps."""
    people = [person for name in ("adult.data", "adult.test") for person in read_census(folder / name)]
    rows = [
        [
            int(person["sex"] == "Male"),
            int(person["race"] == "White"),
            min(int(person["age"]) // 10, 7) - 1,
            quantize_education(int(person["education_num"])),
            0,
        ]
        for person in people
    ]
    labels = [int(person["income"].startswith(">50K")) for person in people]
    likeness = [
        (person["marital_status"] == "Married-civ-spouse", int(person["education_num"]), int(person["age"]))
        for person in people
    ]
    return np.array(rows, dtype=np.int16), np.array(labels, dtype=np.int64), likeness


def read_census(path):
    """The people of one file; lines of another length are its heading and blank ones."""
    with path.open(encoding="utf-8", newline="") as file:
        lines = [line for line in csv.reader(file, skipinitialspace=True) if len(line) == len(ADULT_COLUMNS)]
    return [dict(zip(ADULT_COLUMNS, line, strict=True)) for line in lines]


def quantize_education(years):
    """6 to 12 years are 0 to 6, fewer are 7, more are 8: the order of AIF360's columns."""
    return 7 if years <= 5 else 8 if years >= 13 else years - 6


def deal(source, rows, labels, likeness):
    """Give each row the number of its pool.

    Rows of one group and one label lie in the order of their likeness and are dealt out four by four: of every four
    neighbours two train, one validates and one tests. Who gets which is decided by a hash: fixed, and nobody's choice.
    """
    pool = np.zeros(len(rows), dtype=np.int64)
    ranks = [rank(source, number, rows[number], labels[number]) for number in range(len(rows))]
    for group in np.unique(rows[:, 0]):
        for label in np.unique(labels):
            cell = np.flatnonzero((rows[:, 0] == group) & (labels == label)).tolist()
            cell.sort(key=lambda number: (likeness[number], ranks[number]))
            for start in range(0, len(cell), len(DEALT)):
                neighbours = sorted(cell[start : start + len(DEALT)], key=ranks.__getitem__)
                # An incomplete last four must not always go to the same pools.
                first = int(ranks[neighbours[0]], 16) % len(DEALT)
                for turn, number in enumerate(neighbours):
                    pool[number] = DEALT[(first + turn) % len(DEALT)]
    return pool


def rank(source, number, row, label):
    """As good as random, and the same with any library, for ever."""
    return hashlib.sha256(f"fmlbench fairness paper: {source} {number} {row.tolist()} {label}".encode()).hexdigest()


def draw(root):
    """Draw the training sets of all models, and both exams."""
    facts = json.loads((root / "stage.json").read_text("utf-8"))
    seed, settings = facts["seed"], facts["settings"]
    pools = {source: load_pool(root / "pools" / f"{source}.npz") for source in SOURCES}
    visible = {}
    for stream, source in enumerate(SOURCES):
        rng = np.random.default_rng([seed, stream])
        chosen = draw_visible(pools[source]["pool"], settings["models"], settings[f"{source}_rows"], rng)
        visible |= {
            f"{source}_rows": pools[source]["rows"][chosen],
            f"{source}_labels": pools[source]["labels"][chosen],
        }
    save(root / "out" / "train", **visible)
    for number, exam in enumerate(POOLS[1:], start=1):
        questions, labels = draw_exam(pools, number, settings, np.random.default_rng([seed, 10 + number]))
        save(root / "out" / exam / "questions", **questions)
        save(root / "out" / exam / "labels", **labels)


def draw_visible(pool, models, rows, rng):
    """Choose a training set for every model: [models, rows] numbers of rows, none twice in one set."""
    candidates = np.flatnonzero(pool == 0)
    if len(candidates) < rows:
        raise SystemExit(f"{rows} training rows are asked for, the pool has {len(candidates)}")
    return np.stack([rng.permutation(candidates)[:rows] for _ in range(models)])


def draw_exam(pools, number, settings, rng):
    """Ask every row of both pools (or the first so many of a shuffle), in a random order."""
    rows, labels, sources = [], [], []
    for source, pool in enumerate(pools.values()):
        asked = rng.permutation(np.flatnonzero(pool["pool"] == number))[: settings["exam_rows"]]
        rows.append(pool["rows"][asked])
        labels.append(pool["labels"][asked])
        sources.append(np.full(len(asked), source, dtype=np.int64))
    order = rng.permutation(sum(len(part) for part in sources))
    rows, labels, sources = (np.concatenate(parts)[order] for parts in (rows, labels, sources))
    questions = {"rows": rows, "sources": sources}
    return questions, {"labels": labels, "groups": rows[:, 0].astype(np.int64), "sources": sources}


def load_pool(path):
    """The arrays of one source."""
    with np.load(path, allow_pickle=False) as stored:
        return {name: stored[name] for name in stored.files}


def save(folder, **arrays):
    """Write arrays by name."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, array in arrays.items():
        np.save(folder / f"{name}.npy", array, allow_pickle=False)


if __name__ == "__main__":
    {"prepare": prepare, "draw": draw}[sys.argv[1]](Path(sys.argv[2]))
