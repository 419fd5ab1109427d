"""Cut practice pools from the training pool: three fifths of the digits to train on, a fifth for each exam."""

import sys
from pathlib import Path

import numpy as np

SHARES = {"train": (0.0, 0.6), "validation": (0.6, 0.8), "test": (0.8, 1.0)}


def main(root):
    for name in ("digits", "labels"):
        rows = np.load(root / "pools" / "train" / f"{name}.npy")
        for pool, (first, last) in SHARES.items():
            folder = root / "practice" / pool
            folder.mkdir(exist_ok=True)
            np.save(folder / f"{name}.npy", rows[int(first * len(rows)) : int(last * len(rows))])


if __name__ == "__main__":
    main(Path(sys.argv[-1]))
