"""Cut practice pools from the training pool: half of the images to train on, a quarter for each exam."""

import sys
from pathlib import Path

import numpy as np

SHARES = {"train": (0.0, 0.5), "validation": (0.5, 0.75), "test": (0.75, 1.0)}


def main(root):
    for name in ("images", "labels"):
        rows = np.load(root / "pools" / "train" / f"{name}.npy")
        for pool, (first, last) in SHARES.items():
            folder = root / "practice" / pool
            folder.mkdir(exist_ok=True)
            np.save(folder / f"{name}.npy", rows[int(first * len(rows)) : int(last * len(rows))])


if __name__ == "__main__":
    main(Path(sys.argv[-1]))
