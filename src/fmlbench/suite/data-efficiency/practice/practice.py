"""Cut practice pools from the training classes: three fifths to train on, a fifth for each exam."""

import sys
from pathlib import Path

import numpy as np

SHARES = {"train": (0.0, 0.6), "validation": (0.6, 0.8), "test": (0.8, 1.0)}


def main(root):
    images, labels = (np.load(root / "pools" / "train" / f"{name}.npy") for name in ("images", "labels"))
    classes = labels.max() + 1
    for pool, (first, last) in SHARES.items():
        start, end = int(first * classes), int(last * classes)
        chosen = (labels >= start) & (labels < end)
        folder = root / "practice" / pool
        folder.mkdir()
        np.save(folder / "images.npy", images[chosen])
        np.save(folder / "labels.npy", labels[chosen] - start)


if __name__ == "__main__":
    main(Path(sys.argv[-1]))
