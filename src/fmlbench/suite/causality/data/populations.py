"""The genuine populations: 25 covariates of the infants of IHDP and of the adults of the census of 1994.

Both have six continuous and nineteen binary covariates. All are standardised here, and units are divided once, by a
hash of their covariates, among training, validation and test.
"""

import csv
import hashlib

import numpy as np

CONTINUOUS, COVARIATES = 6, 25
INFANTS = 747
FIRST_BORN = 13
"""The one binary covariate of IHDP that is coded 1 and 2."""
ADULTS = 3000
"""How many complete rows of the census are kept."""
SHARES = np.array([4, 1, 1]) / 6
"""Of training, validation and test."""
NUMBERS = (0, 2, 4, 10, 11, 12)
"""Age, weight, years of education, capital gain and loss, hours."""
ANSWERS = {
    1: ("Private", "Self-emp-not-inc", "Local-gov"),
    5: ("Married-civ-spouse", "Never-married", "Divorced"),
    6: ("Craft-repair", "Prof-specialty", "Exec-managerial", "Adm-clerical", "Sales", "Other-service"),
    7: ("Husband", "Own-child", "Not-in-family"),
    8: ("White", "Black"),
    9: ("Male",),
    13: ("United-States",),
}
"""The most frequent answers to questions with several; each becomes a binary covariate."""


def read_infants(file):
    """Return the covariates of IHDP; treatment and outcomes in the file are not used."""
    rows = np.genfromtxt(file, delimiter=",")
    if rows.shape != (INFANTS, 5 + COVARIATES) or not np.isfinite(rows).all():
        raise SystemExit(f"expected {INFANTS} rows of {5 + COVARIATES} numbers, found {rows.shape}")
    covariates = rows[:, 5:]
    covariates[:, FIRST_BORN] -= 1
    return standardise(covariates)


def read_adults(file):
    """Return the covariates of the first complete rows of the census, by the order of their hash."""
    with file.open(encoding="utf-8") as lines:
        rows = [[cell.strip() for cell in row] for row in csv.reader(lines) if len(row) == 15 and " ?" not in row]
    rows = sorted(rows, key=lambda row: hashlib.sha256("\t".join(row).encode()).hexdigest())[:ADULTS]
    if len(rows) < ADULTS:
        raise SystemExit(f"expected at least {ADULTS} complete rows, found {len(rows)}")
    numbers = np.array([[float(row[column]) for column in NUMBERS] for row in rows])
    numbers[:, [1, 3, 4]] = np.log1p(numbers[:, [1, 3, 4]])
    answers = [[row[column] == value for row in rows] for column, values in ANSWERS.items() for value in values]
    return standardise(np.column_stack([numbers, *answers]))


def standardise(values):
    """Mean zero and spread one, column by column."""
    return (values - values.mean(axis=0)) / values.std(axis=0)


def divide(covariates):
    """Say for each unit which part it belongs to: 0 trains, 1 validates, 2 tests."""
    order = np.argsort([hashlib.sha256(np.round(row, 6).tobytes()).hexdigest() for row in covariates])
    split = np.zeros(len(covariates), dtype=np.int64)
    ends = np.rint(np.cumsum(SHARES) * len(covariates)).astype(int)
    for part, rows in enumerate(np.split(order, ends[:-1])):
        split[rows] = part
    return split
