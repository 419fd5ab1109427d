"""A leak is a byte sequence that is unlikely to occur by chance."""

import bz2
import gzip
import lzma
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from fmlbench.engine.leaks import find_leaks
from fmlbench.experiment.prepared_task import PreparedTask
from fmlbench.experiment.samples import Sample


class World:
    """A sample, and a repository that a candidate can read."""

    def __init__(self, root: Path) -> None:
        self.repository = root / "repository"
        self.repository.mkdir()
        self.sample = Sample(path=root / "sample", seed=0)
        self.prepared = cast(
            "PreparedTask",
            SimpleNamespace(
                raw=(),
                codebase=self.repository,
                track=SimpleNamespace(training=()),
                python=SimpleNamespace(folders=(), hidden=()),
            ),
        )

    def ask(self, **questions: Any) -> None:
        for exam in ("validation", "test"):
            for part in ("questions", "labels"):
                (self.sample.path / exam / part).mkdir(parents=True)
        for name, rows in questions.items():
            np.save(self.sample.path / "test" / "questions" / f"{name}.npy", rows)


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def test_a_row_of_an_exam_in_the_repository_is_found(world: World):
    images = np.random.default_rng(0).integers(0, 256, (5, 28, 28), dtype=np.uint8)
    world.ask(images=images)
    (world.repository / "sample.bin").write_bytes(b"header" + images[3].tobytes())
    assert find_leaks(world.prepared, world.sample) == ["repository: sample.bin contains a row of the test exam"]


@pytest.mark.parametrize(
    ("ending", "compress"), [(".gz", gzip.compress), (".bz2", bz2.compress), (".xz", lzma.compress)]
)
def test_a_row_is_found_in_a_compressed_file_and_damaged_files_are_skipped(
    world: World, ending: str, compress: Callable[[bytes], bytes]
):
    images = np.random.default_rng(0).integers(0, 4, (5, 28, 28), dtype=np.uint8)
    world.ask(images=images)
    packed = compress(images.tobytes())
    (world.repository / f"images{ending}").write_bytes(packed)
    (world.repository / f"torn{ending}").write_bytes(packed[:-100])
    (world.repository / f"odd{ending}").write_bytes(packed[:50] + bytes(50) + packed[100:])
    (world.repository / "broken.zip").write_bytes(b"PK\x03\x04 no archive")
    assert find_leaks(world.prepared, world.sample) == [f"repository: images{ending} contains a row of the test exam"]


def test_a_few_small_numbers_are_not_a_leak(world: World):
    orders = np.array([[0, 1, 2, 3, 4], [2, 0, 1, 4, 3]])
    world.ask(support_labels=orders)
    (world.repository / "counting.bin").write_bytes(np.arange(10).tobytes())
    assert find_leaks(world.prepared, world.sample) == []


def test_a_blank_row_is_not_a_leak(world: World):
    world.ask(images=np.zeros((3, 28, 28), np.uint8))
    (world.repository / "zeros.bin").write_bytes(bytes(4000))
    assert find_leaks(world.prepared, world.sample) == []
