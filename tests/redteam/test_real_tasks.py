"""The attacks that are apt on real tasks: PyTorch, real data, questions asked one by one or all at once."""

from collections.abc import Generator
from pathlib import Path

import pytest

from fmlbench.core.progress import Silent
from fmlbench.engine.arena import Arena, arena
from fmlbench.engine.preparation import prepare
from fmlbench.execution.sandbox import Sandbox
from fmlbench.redteam.catalogue import find_attack
from fmlbench.tasks.library import all_tasks, find_task
from fmlbench.workspace.places import Places

pytestmark = [pytest.mark.real, pytest.mark.sandbox, pytest.mark.timeout(900)]

TRIED = [
    "known-paths",
    "smuggled-weights",
    "forge-in-exam",
    "answers-as-array-of-pickles",
    "rewrite-later",
    "walk-memory",
    "count-questions",
]
"""The toy task gets all there are."""
ELSEWHERE = [(folder.task.name, attack) for folder in all_tasks("core") for attack in TRIED[:2]]


@pytest.fixture(scope="module")
def real_arena(request: pytest.FixtureRequest, cache: Path, sandbox: Sandbox, red_places: Places) -> Generator[Arena]:
    places = Places(cache=cache, runs=cache / "no-runs")
    prepared = prepare(find_task(request.param), "cpu", places=places, sandbox=sandbox, progress=Silent())
    with arena(prepared, red_places, Silent()) as opened:
        yield opened


@pytest.mark.parametrize(
    ("real_arena", "name"), [("data-efficiency", attack) for attack in TRIED], indirect=["real_arena"]
)
def test_an_attack_earns_reaches_and_leaves_nothing(real_arena: Arena, name: str):
    _try(real_arena, name)


@pytest.mark.long
@pytest.mark.parametrize(("real_arena", "name"), ELSEWHERE, indirect=["real_arena"])
def test_nor_does_it_on_the_other_tasks(real_arena: Arena, name: str):
    _try(real_arena, name)


def _try(real_arena: Arena, name: str) -> None:
    row = real_arena.try_attack(find_attack(name))
    assert row.has_run, row
    assert not row.earned, row
    assert row.reached == ()
    assert row.leftovers == ()
    assert row.as_expected, row
