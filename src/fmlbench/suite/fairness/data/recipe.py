"""Make pools of COMPAS and Adult rows that are alike, and draw training sets and exams from them.

    recipe.py prepare ROOT    ROOT/raw/{compas,adult}/   -> ROOT/pools/SOURCE.npz
    recipe.py draw ROOT       ROOT/pools, ROOT/stage.json -> ROOT/out/{train,validation,test}/

Which rows train, validate and test is fixed once; a seed decides which rows of the training pool each model sees, and
the order of everything. A row is a handful of small whole numbers, the protected group first.
"""

import csv
import hashlib
import json
import sys
from pathlib import Path

import numpy as np

POOLS = ("train", "validation", "test")
SOURCES = ("compas", "adult")
WIDTH = 10
"""COMPAS rows are filled up with zeros, so that both kinds fit into one exam."""

COMPAS_GROUPS = {"Caucasian": 0, "African-American": 1}
MOST_DAYS = 30
"""ProPublica leaves out arrests further from the screening: they may not be what the screening was for."""

ADULT_COLUMNS = (
    *("age", "workclass", "fnlwgt", "education", "education_num", "marital_status", "occupation", "relationship"),
    *("race", "sex", "capital_gain", "capital_loss", "hours_per_week", "native_country", "income"),
)
ADULT_CATEGORIES = {
    "workclass": (
        *("Federal-gov", "Local-gov", "Private", "Self-emp-inc", "Self-emp-not-inc", "State-gov", "Without-pay"),
    ),
    "marital_status": (
        *("Divorced", "Married-AF-spouse", "Married-civ-spouse", "Married-spouse-absent", "Never-married"),
        *("Separated", "Widowed"),
    ),
    "occupation": (
        *("Adm-clerical", "Armed-Forces", "Craft-repair", "Exec-managerial", "Farming-fishing", "Handlers-cleaners"),
        *("Machine-op-inspct", "Other-service", "Priv-house-serv", "Prof-specialty", "Protective-serv", "Sales"),
        *("Tech-support", "Transport-moving"),
    ),
    "race": ("Amer-Indian-Eskimo", "Asian-Pac-Islander", "Black", "Other", "White"),
}


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
            COMPAS_GROUPS[person["race"]],
            int(person["age"]),
            int(person["priors_count"]),
            int(person["juv_fel_count"]),
            int(person["juv_misd_count"]),
            int(person["juv_other_count"]),
            int(person["c_charge_degree"] == "F"),
            int(person["sex"] == "Male"),
        ]
        for person in people
    ]
    labels = [int(person["two_year_recid"]) for person in people]
    likeness = [(int(person["decile_score"]), row[2], row[1]) for person, row in zip(people, rows, strict=True)]
    return as_rows(rows), np.array(labels, dtype=np.int64), likeness


def is_compas_row(person):
    """Whether ProPublica's analysis keeps a row, and it belongs to one of the two groups."""
    days = person["days_b_screening_arrest"]
    return (
        person["race"] in COMPAS_GROUPS
        and days != ""
        and abs(int(days)) <= MOST_DAYS
        and person["is_recid"] != "-1"
        and person["c_charge_degree"] != "O"
        and person["score_text"] != "N/A"
    )


def read_adult(folder):
    """The complete rows of both files of the census data."""
    people = [
        person
        for name in ("adult.data", "adult.test")
        for person in read_census(folder / name)
        if "?" not in person.values()
    ]
    rows = [
        [
            int(person["sex"] == "Male"),
            int(person["age"]),
            int(person["education_num"]),
            int(person["hours_per_week"]),
            int(person["capital_gain"]) // 100,
            int(person["capital_loss"]) // 100,
            *(values.index(person[name]) for name, values in ADULT_CATEGORIES.items()),
        ]
        for person in people
    ]
    labels = [int(person["income"].startswith(">50K")) for person in people]
    likeness = [
        (person["marital_status"] == "Married-civ-spouse", row[2], row[1])
        for person, row in zip(people, rows, strict=True)
    ]
    return as_rows(rows), np.array(labels, dtype=np.int64), likeness


def read_census(path):
    """The people of one file; lines of another length are its heading and blank ones."""
    with path.open(encoding="utf-8", newline="") as file:
        lines = [line for line in csv.reader(file, skipinitialspace=True) if len(line) == len(ADULT_COLUMNS)]
    return [dict(zip(ADULT_COLUMNS, line, strict=True)) for line in lines]


def as_rows(rows):
    """Whole numbers, filled up with zeros to the common width."""
    array = np.array(rows, dtype=np.int16)
    return np.pad(array, ((0, 0), (0, WIDTH - array.shape[1])))


def deal(source, rows, labels, likeness):
    """Give each row the number of its pool.

    Rows of one group and one label lie in the order of their likeness and are dealt out three by three, so that each
    pool gets one of every three neighbours. Who gets which is decided by a hash: fixed, and nobody's choice.
    """
    pool = np.zeros(len(rows), dtype=np.int64)
    ranks = [rank(source, number, rows[number], labels[number]) for number in range(len(rows))]
    for group in np.unique(rows[:, 0]):
        for label in np.unique(labels):
            cell = np.flatnonzero((rows[:, 0] == group) & (labels == label)).tolist()
            cell.sort(key=lambda number: (likeness[number], ranks[number]))
            for start in range(0, len(cell), len(POOLS)):
                neighbours = sorted(cell[start : start + len(POOLS)], key=ranks.__getitem__)
                # An incomplete last three must not always go to the same pool.
                first = int(ranks[neighbours[0]], 16) % len(POOLS)
                for turn, number in enumerate(neighbours):
                    pool[number] = (first + turn) % len(POOLS)
    return pool


def rank(source, number, row, label):
    """As good as random, and the same with any library, for ever."""
    return hashlib.sha256(f"fmlbench fairness: {source} {number} {row.tolist()} {label}".encode()).hexdigest()


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
