"""Turn four public data sets into tables of people, and draw secret populations from them.

    recipe.py prepare ROOT    ROOT/raw/SOURCE/            -> ROOT/pools/SOURCE.npz
    recipe.py draw ROOT       ROOT/pools, ROOT/stage.json -> ROOT/out/{train,validation,test}/

The pools hold what is public: features, protected attributes, and a linear model of the genuine label. A draw makes
several populations from them (population.py). Their labels come from secret models, so no public label is an answer.
Validation and test ask about different populations, so what validation scores say about one population is of no use.
"""

import csv
from datetime import datetime

import numpy as np
from datasetkit import load_npz, main, read_request, save, save_exam
from population import GROUPS, Population

WORLDS = {"scored": ("compas", "adult"), "lab": ("stops",), "sibling": ("credit",)}
"""Which sources a world is made of. No source is in two worlds."""

EXAMS = ("validation", "test")
MOST_DAYS = 30
"""ProPublica leaves out arrests further from the screening: they may not be what the screening was for."""
COMMON = 0.05
"""Yes-or-no columns that fewer people differ in than this are left out."""
SHRINKAGE = 0.01
NEWTON_STEPS = 30

ADULT_COLUMNS = (
    *("age", "workclass", "fnlwgt", "education", "education_num", "marital_status", "occupation", "relationship"),
    *("race", "sex", "capital_gain", "capital_loss", "hours_per_week", "native_country", "income"),
)


def prepare(root):
    """Read every source and save its people."""
    for source, read in READERS.items():
        features, attributes, labels = read(root / "raw" / source)
        people = standardise(np.column_stack(features).astype(np.float64))
        np.savez(
            root / "pools" / f"{source}.npz",
            people=people,
            attributes=np.column_stack(attributes).astype(np.int64),
            outlook=fit_outlook(people, np.asarray(labels, dtype=np.float64)),
        )


def read_compas(folder):
    """ProPublica's two-year file with ProPublica's filters; protected are race, sex and age."""
    lines = read_lines(folder / "compas-scores-two-years.csv")
    table = [line for line in lines if is_compas_row(line)]
    age = numbers(table, "age")
    features = [
        age,
        np.log1p(numbers(table, "priors_count")),
        np.log1p([days_in_jail(line) for line in table]),
        numbers(table, "decile_score"),
        numbers(table, "v_decile_score"),
        *(numbers(table, f"juv_{kind}_count") > 0 for kind in ("fel", "misd", "other")),
        equals(table, "c_charge_degree", "F"),
    ]
    attributes = [equals(table, "race", "Caucasian"), equals(table, "sex", "Male"), above_median(age)]
    return features, attributes, numbers(table, "two_year_recid")


def is_compas_row(line):
    """Whether ProPublica's analysis keeps a row, and the person belongs to one of its two largest groups."""
    days = line["days_b_screening_arrest"]
    return (
        line["race"] in ("Caucasian", "African-American")
        and days != ""
        and abs(int(days)) <= MOST_DAYS
        and line["is_recid"] != "-1"
        and line["c_charge_degree"] != "O"
        and line["score_text"] != "N/A"
    )


def days_in_jail(line):
    """Days from the arrest to the release."""
    begin, end = (datetime.fromisoformat(line[name]) for name in ("c_jail_in", "c_jail_out"))
    return max(0.0, (end - begin).total_seconds() / 86400)


def read_adult(folder):
    """The complete rows of both files of the census data; protected are sex, race and age."""
    table = [
        line for name in ("adult.data", "adult.test") for line in read_census(folder / name) if "?" not in line.values()
    ]
    age = numbers(table, "age")
    features = [
        age,
        numbers(table, "education_num"),
        numbers(table, "hours_per_week"),
        np.log1p(numbers(table, "capital_gain")),
        np.log1p(numbers(table, "capital_loss")),
        *(column for name in ("workclass", "marital_status", "occupation") for column in one_hot(table, name)),
    ]
    attributes = [equals(table, "sex", "Male"), equals(table, "race", "White"), above_median(age)]
    return features, attributes, [line["income"].startswith(">50K") for line in table]


def read_census(path):
    """The people of one file. Lines of another length are its heading and blank ones."""
    with path.open(encoding="utf-8", newline="") as file:
        lines = [line for line in csv.reader(file, skipinitialspace=True) if len(line) == len(ADULT_COLUMNS)]
    return [dict(zip(ADULT_COLUMNS, line, strict=True)) for line in lines]


def read_stops(folder):
    """Street stops by the New York police; protected are race, sex and age."""
    table = read_lines(folder / "sqf.csv")
    age = numbers(table, "age")
    facts = [numbers(table, name) for name in table[0] if name.endswith("_Y")]
    features = [
        age,
        np.log1p(numbers(table, "perobs")),
        np.log1p(numbers(table, "perstop")),
        numbers(table, "ht_feet") * 12 + numbers(table, "ht_inch"),
        numbers(table, "weight"),
        *(fact for fact in facts if COMMON < fact.mean() < 1 - COMMON),
    ]
    attributes = [equals(table, "race", "1"), equals(table, "sex", "1"), above_median(age)]
    return features, attributes, numbers(table, "weapon")


def read_credit(folder):
    """Credit card holders in Taiwan; protected are sex, marriage and a graduate degree."""
    table = read_lines(folder / "UCI_Credit_Card.csv")
    features = [
        numbers(table, "AGE"),
        np.log(numbers(table, "LIMIT_BAL")),
        *(numbers(table, f"PAY_{month}") for month in (0, 2, 3, 4, 5, 6)),
        *(signed_log(numbers(table, f"BILL_AMT{month}")) for month in (1, 3, 6)),
        *(signed_log(numbers(table, f"PAY_AMT{month}")) for month in range(1, 7)),
    ]
    attributes = [equals(table, "SEX", "1"), equals(table, "MARRIAGE_1", "1"), equals(table, "EDUCATION_1", "1")]
    return features, attributes, numbers(table, "default-payment-next-month")


READERS = {"compas": read_compas, "adult": read_adult, "stops": read_stops, "credit": read_credit}


def read_lines(path):
    """The lines of a table with a heading. Of columns that occur twice, the first one counts."""
    with path.open(encoding="utf-8", newline="") as file:
        lines = csv.reader(file)
        names = next(lines)
        place = {name: number for number, name in reversed(list(enumerate(names)))}
        return [{name: line[number] for name, number in place.items()} for line in lines]


def numbers(table, name):
    """One column as floats."""
    return np.array([float(line[name]) for line in table])


def equals(table, name, value):
    """Whether a column has that value."""
    return np.array([line[name] == value for line in table])


def one_hot(table, name):
    """One column for every value but the last."""
    return [equals(table, name, value) for value in sorted({line[name] for line in table})[:-1]]


def above_median(column):
    """Whether a value belongs to the upper half."""
    return column >= np.median(column)


def signed_log(amounts):
    """Amounts of money, which may be negative, on a scale that is linear near zero."""
    return np.sign(amounts) * np.log1p(np.abs(amounts) / 100)


def standardise(columns):
    """Mean 0 and standard deviation 1 in every column."""
    return (columns - columns.mean(axis=0)) / (columns.std(axis=0) + 1e-9)


def fit_outlook(people, labels):
    """Coefficients of a logistic regression of the genuine label, by Newton's method."""
    inputs = np.column_stack([people, np.ones(len(people))])
    penalty = SHRINKAGE * len(people)
    weights = np.zeros(inputs.shape[1])
    for _ in range(NEWTON_STEPS):
        chances = 1 / (1 + np.exp(-inputs @ weights))
        curvature = (inputs * (chances * (1 - chances))[:, None]).T @ inputs + penalty * np.eye(len(weights))
        weights += np.linalg.solve(curvature, inputs.T @ (labels - chances) - penalty * weights)
    return weights[:-1]


def draw(root):
    """Draw the populations of a world, the training rows of each, and both exams."""
    request = read_request(root)
    seed, settings = request.seed, request.settings
    sources = WORLDS[request.world]
    pools = [load_npz(root / "pools" / f"{source}.npz") for source in sources]
    populations = [
        Population(**pools[number % len(pools)], rng=np.random.default_rng([seed, number]))
        for number in range(settings["populations"])
    ]
    rows = settings["train_rows"]
    kept = max(2 * GROUPS, round(rows * request.train_share))
    trained = [population.draw_training(rows, kept) for population in populations]
    save(root / "out" / "train", **{name: np.stack([one[name] for one in trained]) for name in trained[0]})
    for exam in EXAMS:
        asked = {number: populations[number] for number in numbers_of(exam, len(populations), len(pools))}
        questions, labels = draw_exam(asked, settings["exam_rows"], np.random.default_rng([seed, len(exam), 1000]))
        save_exam(root / "out" / exam, questions, labels)


def numbers_of(exam, populations, sources):
    """The numbers of the populations that an exam asks about: every other one of each source."""
    return [number for number in range(populations) if number // sources % len(EXAMS) == EXAMS.index(exam)]


def draw_exam(populations, rows, rng):
    """Ask about ``rows`` people of every group of these populations, by number, in a random order."""
    parts = [population.draw_exam(rows) | {"populations": number} for number, population in populations.items()]
    size = GROUPS * rows
    exam = {
        name: np.concatenate([np.broadcast_to(part[name], (size, *np.shape(part[name])[1:])) for part in parts])
        for name in parts[0]
    }
    order = rng.permutation(len(exam["groups"]))
    exam = {name: array[order] for name, array in exam.items()}
    questions = {name: exam.pop(name) for name in ("features",)} | {"populations": exam["populations"]}
    return questions, exam


if __name__ == "__main__":
    main(prepare=prepare, sample=draw)
