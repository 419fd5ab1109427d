"""Files of MNIST's own format, with a few digits."""

import struct
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt


def write_digits(folder: Path, file: str, images: npt.NDArray[Any], labels: npt.NDArray[Any]) -> None:
    """Write the two files that MNIST has for training or for testing."""
    _write_idx(folder / f"{file}-images-idx3-ubyte", images)
    _write_idx(folder / f"{file}-labels-idx1-ubyte", labels)


def _write_idx(file: Path, content: npt.NDArray[Any]) -> None:
    head = bytes([0, 0, 8, content.ndim]) + struct.pack(f">{content.ndim}I", *content.shape)
    file.write_bytes(head + content.astype(np.uint8).tobytes())
