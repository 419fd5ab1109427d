from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from fmlbench.core.errors import BadRequest
from fmlbench.metrics.embedding.clouds import NoCache, VectorFile, cache_for, embed_programs, narrowed
from fmlbench.metrics.embedding.embedder import ENTRY_POINTS, find_embedder
from fmlbench.metrics.embedding.structure import StructureEmbedder
from fmlbench.metrics.trace import Vectors
from tests.plugins import install_plugin
from tests.unit.metrics.programs import BASE, METHODS, REFORMATTED, RENAMED, RUNS, TUNED


def embedded(*programs: str) -> Vectors:
    return embed_programs(StructureEmbedder(), [{"a.py": program} for program in programs], NoCache())


def distances(*programs: str) -> Vectors:
    points = embedded(BASE, *programs)
    return np.linalg.norm(points[1:] - points[0], axis=1)


def test_names_and_layout_do_not_move_a_program():
    assert distances(RENAMED, REFORMATTED).tolist() == [0.0, 0.0]


def test_other_numbers_move_it_a_little_and_other_methods_much_more():
    tuned, methods = distances(*TUNED), distances(*METHODS)
    assert tuned.min() > 0
    assert tuned.max() < methods.min() / 2


def test_a_dozen_runs_are_in_the_order_people_would_give_them():
    clouds = [embedded(*run) for _, run in RUNS]
    spreads = [float(np.linalg.norm(cloud - cloud.mean(axis=0), axis=1).mean()) for cloud in clouds]
    assert all(low <= high for low, high in pairwise(spreads)), spreads


def test_the_threshold_of_sameness_lies_between_other_numbers_and_other_methods():
    points = embedded(BASE, *TUNED, *METHODS)
    directions = points / np.linalg.norm(points, axis=1, keepdims=True)
    apart = 1 - directions[1:] @ directions[0]
    assert apart[: len(TUNED)].max() < StructureEmbedder.near < apart[len(TUNED) :].min()


@pytest.mark.parametrize("terms", [100, 145, 160, 400, 900, 3000])
@pytest.mark.parametrize("join", ["+", ".b", "-"])
def test_however_deep_code_is_nested_it_has_a_vector(terms: int, join: str):
    text = "x = " + {"+": "+".join(["1"] * terms), ".b": "a" + ".b" * terms, "-": "-" * terms + "1"}[join]
    assert np.abs(embedded(text)).sum() > 0
    assert (embedded(text) == deeper(lambda: embedded(f"{text}\n"), 300)).all()


def deeper(call: Callable[[], Vectors], frames: int) -> Vectors:
    """What a call returns to somebody who is already far down."""
    return deeper(call, frames - 1) if frames else call()


@pytest.mark.parametrize(
    "text",
    [
        *("", "def broken(:", "x = '\0'", "(" * 5000, "ünïcode = 1\n", "class A:\n    pass\n"),
        *("x = 1e999", "x = 0x" + "f" * 6000, "x = " + "9" * 5000, "x = 1j", "x = '\\ud800'"),
    ],
)
def test_any_text_has_a_finite_vector(text: str):
    assert np.isfinite(embedded(text)).all()


def test_files_that_are_not_python_count_their_words():
    embedder = StructureEmbedder()
    plain = embed_programs(
        embedder, [{"c.toml": "rate = 1"}, {"c.toml": "rate = 2"}, {"c.toml": "rate  =  1"}], NoCache()
    )
    assert (plain[0] == plain[2]).all()
    assert (plain[0] != plain[1]).any()


class Counting:
    """Gives each window a vector of its length, and counts."""

    name, digest, near, is_cached = "counting", "0" * 8, 0.1, True

    def __init__(self) -> None:
        self.seen: list[bytes] = []

    def windows(self, files: Mapping[str, str]) -> Sequence[bytes]:
        return [line.encode() for path in sorted(files) for line in files[path].splitlines()]

    def embed(self, windows: Sequence[bytes]) -> Vectors:
        self.seen += windows
        return np.array([[len(window), 1.0] for window in windows])


def test_a_window_is_embedded_once_however_often_it_occurs():
    embedder = Counting()
    points = embed_programs(embedder, [{"a": "one\ntwo"}, {"a": "one\none\nthree"}], NoCache())
    assert embedder.seen == [b"one", b"two", b"three"]
    assert points.tolist() == [[6.0, 2.0], [11.0, 3.0]]


def test_vectors_are_kept_for_the_next_time(tmp_path: Path):
    first, second = Counting(), Counting()
    before = embed_programs(first, [{"a": "one\ntwo"}], VectorFile(tmp_path / "v"))
    after = embed_programs(second, [{"a": "one\ntwo"}, {"a": "four"}], VectorFile(tmp_path / "v"))
    assert second.seen == [b"four"]
    assert (after[0] == before[0]).all()


@pytest.mark.parametrize("lost", [1, 3, 20, 41])
def test_a_record_that_was_cut_short_is_done_again(tmp_path: Path, lost: int):
    path = tmp_path / "v"
    embed_programs(Counting(), [{"a": "one\ntwo"}], VectorFile(path))
    path.write_bytes(path.read_bytes()[:-lost])
    for _ in range(2):
        points = embed_programs(Counting(), [{"a": "one\ntwo\nthree"}], VectorFile(path))
        assert points.tolist() == [[11.0, 3.0]]


def test_a_run_is_embedded_by_the_suggested_files_and_those_it_changed():
    codes = [{"a": "1", "b": "2", "c": "3"}, {"a": "1", "b": "2", "c": "4"}, {"a": "1", "b": "2", "c": "3", "d": "5"}]
    assert [sorted(program) for program in narrowed(codes, ["a"])] == [["a", "c"], ["a", "c"], ["a", "c", "d"]]


def test_an_unknown_embedder_is_told_what_there_is():
    with pytest.raises(BadRequest) as caught:
        find_embedder("word2vec")
    assert "offline" in caught.value.hint


def test_graphcodebert_without_its_library_or_weights_says_how_to_get_them(tmp_path: Path):
    with pytest.raises(BadRequest) as caught:
        find_embedder(f"graphcodebert:{tmp_path}")
    assert "fmlbench[graphcodebert]" in caught.value.hint or "Hugging Face" in caught.value.hint


THEIRS = """
import numpy as np
from fmlbench.metrics.embedding.embedder import EmbedderEntry

class Length:
    name, digest, near, is_cached = "length", "0" * 8, 0.1, False

    def __init__(self, place):
        self.place = place

    def windows(self, files):
        return [text.encode() for text in files.values()]

    def embed(self, windows):
        return np.array([[float(len(window))] for window in windows])

PLUGIN = EmbedderEntry("length", Length, ("'length:UNIT'",))
"""


def test_another_package_can_bring_an_embedder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    install_plugin(monkeypatch, tmp_path, "embedder_of_theirs", ENTRY_POINTS, THEIRS)
    embedder = find_embedder("length:bytes")
    assert embedder is not None
    assert embed_programs(embedder, [{"a": "12345"}], cache_for(embedder, tmp_path)).tolist() == [[5.0]]
    with pytest.raises(BadRequest, match="no embedder named 'word2vec'") as caught:
        find_embedder("word2vec")
    assert "'length:UNIT'" in caught.value.hint
