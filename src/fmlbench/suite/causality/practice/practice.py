"""Cut practice pools from the training units: of every five, three to train on and one for each exam."""

import sys
from pathlib import Path

import numpy as np

DEALT = np.array([0, 1, 0, 2, 0])
NEEDED = 300
"""Units that a realisation shows; some of the others' turns become theirs where three of five are too few."""


def main(root):
    split = np.load(root / "pools" / "split.npy")
    trained = split == 0
    dealt = DEALT[np.arange(trained.sum()) % len(DEALT)]
    asked = np.flatnonzero(dealt > 0)
    dealt[asked[: max(0, NEEDED - int((dealt == 0).sum()))]] = 0
    np.save(root / "practice" / "split.npy", dealt)
    for name in ("covariates", "treatment"):
        np.save(root / "practice" / f"{name}.npy", np.load(root / "pools" / f"{name}.npy")[trained])


if __name__ == "__main__":
    main(Path(sys.argv[-1]))
