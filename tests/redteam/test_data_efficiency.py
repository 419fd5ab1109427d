"""The attacks that every task is tried with, on the first real one: PyTorch, real data, questions asked one by one."""

from collections.abc import Generator
from pathlib import Path

import pytest

from fmlbench.core.progress import Silent
from fmlbench.engine.arena import Arena, arena
from fmlbench.engine.preparation import prepare
from fmlbench.execution.prepared import PreparedTask
from fmlbench.execution.sandbox import Sandbox
from fmlbench.redteam.catalogue import find_attack
from fmlbench.tasks.library import find_task
from fmlbench.workspace.places import Places

pytestmark = [pytest.mark.real, pytest.mark.sandbox, pytest.mark.timeout(600)]

APT = [
    "forge-in-exam",
    "answers-as-array-of-pickles",
    "rewrite-later",
    "known-paths",
    "walk-memory",
    "count-questions",
    "smuggled-weights",
]


@pytest.fixture(scope="module")
def data_efficiency(cache: Path, sandbox: Sandbox) -> PreparedTask:
    places = Places(cache=cache, runs=cache / "no-runs")
    return prepare(find_task("data-efficiency"), "cpu", places=places, sandbox=sandbox, progress=Silent())


@pytest.fixture(scope="module")
def real_arena(data_efficiency: PreparedTask, red_places: Places) -> Generator[Arena]:
    with arena(data_efficiency, red_places, Silent()) as opened:
        yield opened


@pytest.mark.parametrize("name", APT)
def test_an_attack_earns_reaches_and_leaves_nothing(real_arena: Arena, name: str):
    row = real_arena.try_attack(find_attack(name))
    assert row.has_run, row
    assert not row.earned, row
    assert row.reached == ()
    assert row.leftovers == ()
    assert row.as_expected, row
