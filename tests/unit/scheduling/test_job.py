"""A job plays a run in a process of its own, and writes down how that ended."""

import signal
from pathlib import Path

import pytest

from fmlbench.scheduling.engines.local import Machine
from fmlbench.scheduling.job import JobRunner, main
from fmlbench.scheduling.plan import Needs

NEEDS = Needs(threads=1, memory_mb=1000, wants_gpu=False)


@pytest.mark.parametrize(
    ("words", "gpus"),
    [(["2,3"], (2, 3)), (["0"], (0,)), ([""], ()), ([], ()), (["GPU-8a56a4bc,1"], ()), (["MIG-8a56a4bc"], ())],
)
def test_a_job_of_a_cluster_plays_with_the_gpus_that_it_was_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], gpus: tuple[int, ...]
):
    played: list[tuple[object, ...]] = []

    def play(*what: object) -> None:
        played.append(what[:3])

    monkeypatch.setattr("fmlbench.scheduling.job.play_row", play)
    before = signal.getsignal(signal.SIGTERM)
    try:
        main([str(tmp_path), str(tmp_path / "table"), "7", *words])
    finally:
        signal.signal(signal.SIGTERM, before)
    assert played == [(JobRunner(cache=tmp_path, gpus=gpus), tmp_path / "table", 7)]


def test_cores_and_gpus_are_divided_and_nobody_shares_them():
    machine = Machine(cores=(0, 1, 2, 3, 4), memory_mb=8000, gpus=(0, 1))
    assert machine.shares(2) == [((0, 1), (0,)), ((2, 3), (1,))]
    assert machine.shares(8) == [((), ())] * 8


@pytest.mark.parametrize(
    ("needs", "workers"),
    [
        (NEEDS, 5),
        (Needs(threads=2, memory_mb=1000, wants_gpu=False), 2),
        (Needs(threads=1, memory_mb=3000, wants_gpu=False), 2),
        (Needs(threads=1, memory_mb=100, wants_gpu=True), 2),
        (Needs(threads=64, memory_mb=100, wants_gpu=False), 1),
    ],
)
def test_as_many_workers_as_fit(needs: Needs, workers: int):
    assert Machine(cores=(0, 1, 2, 3, 4), memory_mb=8000, gpus=(0, 1)).workers([NEEDS, needs]) == workers
