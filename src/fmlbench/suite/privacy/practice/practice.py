"""Cut practice pools from the images that are set aside for it: no exam and no member of one is among them."""

import sys
from pathlib import Path

import numpy as np

SHARES = {
    "audit-validation": 0.18,
    "audit-test": 0.18,
    "accuracy-validation": 0.17,
    "accuracy-test": 0.17,
    "public": 0.3,
}


def main(root):
    for name in ("images", "labels"):
        rows = np.load(root / "pools" / "practice" / f"{name}.npy")
        cuts = np.round(np.cumsum(list(SHARES.values())) * len(rows)).astype(int)
        for pool, part in zip(SHARES, np.split(rows, cuts[:-1]), strict=True):
            folder = root / "practice" / pool
            folder.mkdir(exist_ok=True)
            np.save(folder / f"{name}.npy", part)


if __name__ == "__main__":
    main(Path(sys.argv[-1]))
