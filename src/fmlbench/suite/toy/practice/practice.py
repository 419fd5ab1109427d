"""Cut practice pools from the training pool: three fifths to train on, a fifth for each exam."""

import sys
from pathlib import Path

import numpy as np

SHARES = {"train": (0.0, 0.6), "validation": (0.6, 0.8), "test": (0.8, 1.0)}


def main(root):
    with np.load(root / "pools" / "train.npz", allow_pickle=False) as stored:
        arrays = {name: stored[name] for name in stored.files}
    rows = len(arrays["labels"])
    for pool, (first, last) in SHARES.items():
        part = {name: array[int(first * rows) : int(last * rows)] for name, array in arrays.items()}
        np.savez(root / "practice" / f"{pool}.npz", **part)


if __name__ == "__main__":
    main(Path(sys.argv[-1]))
