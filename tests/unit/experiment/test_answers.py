import contextlib
import io
import os
import pickle
import random
from pathlib import Path

import numpy as np
import pytest

from fmlbench.core.task import AnswerFormat, AnswerKind
from fmlbench.experiment.answers import AnswersMissing, BadAnswers, ExpectedAnswers, read_untrusted_file

LABELS = AnswerFormat(kind=AnswerKind.INDEPENDENT, dtype="int64")
FEATURES = AnswerFormat(kind=AnswerKind.INDEPENDENT, dtype="float32", shape=(-1,), max_size=8)


def npy(array: object) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, np.asarray(array), allow_pickle=True)
    return buffer.getvalue()


def mangled(old: str, new: str) -> bytes:
    """An array whose header was changed, of the right length."""
    content = npy([1, 2, 3])
    start, end = 10, content.index(b"\n") + 1
    header = content[start : end - 1].decode("ascii").rstrip().replace(old, new).ljust(end - start - 1) + "\n"
    return content[:8] + len(header).to_bytes(2, "little") + header.encode("ascii") + content[end:]


def test_a_plain_file_is_read(tmp_path: Path):
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "a").write_bytes(b"hello")
    assert read_untrusted_file(tmp_path, "deep/a", 10) == b"hello"


def test_missing_answers_are_not_hostile(tmp_path: Path):
    with pytest.raises(AnswersMissing):
        read_untrusted_file(tmp_path, "a", 10)


def make_symlink(path: Path) -> None:
    (path.parent / "secret").write_bytes(b"labels")
    path.symlink_to("secret")


def make_hard_link(path: Path) -> None:
    (path.parent / "secret").write_bytes(b"labels")
    path.hardlink_to(path.parent / "secret")


def make_fifo(path: Path) -> None:
    os.mkfifo(path)


def make_folder(path: Path) -> None:
    path.mkdir()


@pytest.mark.parametrize("trap", [make_symlink, make_hard_link, make_fifo, make_folder])
def test_anything_but_a_regular_file_is_rejected_as_hostile(tmp_path: Path, trap: object):
    trap(tmp_path / "a")  # type: ignore[operator]
    with pytest.raises(BadAnswers) as caught:
        read_untrusted_file(tmp_path, "a", 10)
    assert caught.value.is_hostile


def test_a_symlink_in_the_path_is_rejected(tmp_path: Path):
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "a").write_bytes(b"x")
    (tmp_path / "deep").symlink_to("real")
    with pytest.raises(BadAnswers):
        read_untrusted_file(tmp_path, "deep/a", 10)


def test_a_huge_sparse_file_is_rejected_without_reading_it(tmp_path: Path):
    with (tmp_path / "a").open("wb") as file:
        file.truncate(50 * 2**30)
    with pytest.raises(BadAnswers, match="bytes"):
        read_untrusted_file(tmp_path, "a", 1000)


def test_answers_of_the_expected_shape_are_accepted():
    assert ExpectedAnswers(LABELS, 3).parse(npy([1, 2, 3])).tolist() == [1, 2, 3]
    assert ExpectedAnswers(LABELS, 3).parse(npy(np.array([1, 2, 3], np.uint8))).dtype == np.int64
    assert ExpectedAnswers(FEATURES, 2).parse(npy(np.zeros((2, 5)))).shape == (2, 5)
    columns_first = np.asfortranarray([[1.0, 2.0], [3.0, 4.0]])
    assert ExpectedAnswers(FEATURES, 2).parse(npy(columns_first)).tolist() == [[1.0, 2.0], [3.0, 4.0]]
    assert ExpectedAnswers(LABELS, 3).parse(npy(np.array([1, 2, 3], ">i4"))).tolist() == [1, 2, 3]
    assert ExpectedAnswers(LABELS, None).parse(npy(7)).tolist() == 7


@pytest.mark.parametrize(
    "content",
    [
        npy([1, 2]),
        npy([[1, 2, 3]]),
        npy([1.0, 2.0, 3.0]),
        npy([True, False, True]),
        npy(np.array([1, 2, 2**63], np.uint64)),
        npy(["1", "2", "3"]),
        npy(np.array([{}, {}, {}], dtype=object)),
        npy([1, 2, 3])[:-4],
        b"",
        b"\x93NUMPY\x01\x00v\x00{'descr': '<i8', 'fortran_order': False, 'shape': (999999999999,), }" + b" " * 20,
        # NumPy's own reader divides by zero at the first of these, which kills the process, and trips over the second.
        mangled("<i8", "<M8[s/0]"),
        mangled("'<i8'", "[()]"),
        mangled("(3,)", "(3, 0, 999999999999999999)"),
        mangled("(3,)", "(-3,)"),
        pickle.dumps([1, 2, 3]),
        b"PK\x03\x04 no archive",
    ],
)
def test_answers_of_another_kind_are_rejected(content: bytes):
    with pytest.raises(BadAnswers):
        ExpectedAnswers(LABELS, 3).parse(content)


@pytest.mark.filterwarnings("ignore")
def test_corrupt_files_never_crash_the_harness():
    rng = random.Random(0)
    pieces = [b"{", b"}", b"(", b"'", b"descr", b"shape", b"1e400", b"-1", b"9" * 20, b"|O", b"<U9", b"\x00", b"#"]
    for _ in range(3000):
        content = bytearray(npy(np.arange(3)))
        for _ in range(rng.randint(1, 6)):
            place = rng.randrange(120)
            content[place : place + rng.randint(0, 4)] = rng.choice(pieces)
        with contextlib.suppress(BadAnswers):
            ExpectedAnswers(LABELS, 3).parse(bytes(content))


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1e300])
def test_numbers_that_are_not_finite_are_rejected(value: float):
    with pytest.raises(BadAnswers, match="finite"):
        ExpectedAnswers(FEATURES, 1).parse(npy([[0.5, value]]))


def test_a_dimension_the_candidate_chooses_is_capped():
    with pytest.raises(BadAnswers, match="shape"):
        ExpectedAnswers(FEATURES, 1).parse(npy(np.zeros((1, 9))))
