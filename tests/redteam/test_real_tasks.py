"""The attacks that are apt on real tasks: PyTorch, real data, questions asked one by one or all at once."""

from collections.abc import Generator
from contextlib import ExitStack
from pathlib import Path

import pytest

from fmlbench.core.progress import Silent
from fmlbench.engine.preparation import prepare
from fmlbench.engine.red_team_run import RedTeamRun, open_red_team_run
from fmlbench.redteam.catalogue import find_attack
from fmlbench.sandbox.protocol import Sandbox
from fmlbench.tasks.library import all_tasks, find_task
from fmlbench.workspace.dirs import Dirs

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


class Arenas:
    """Opens arenas when they are first asked for: each measures its task's baseline."""

    def __init__(self, dirs: Dirs, red_places: Dirs, sandbox: Sandbox) -> None:
        self._places = dirs
        self._red_places = red_places
        self._sandbox = sandbox
        self._open: dict[str, RedTeamRun] = {}
        self.stack = ExitStack()

    def __getitem__(self, task: str) -> RedTeamRun:
        if task not in self._open:
            prepared = prepare(find_task(task), "cpu", dirs=self._places, sandbox=self._sandbox, progress=Silent())
            self._open[task] = self.stack.enter_context(open_red_team_run(prepared, self._red_places, Silent()))
        return self._open[task]


@pytest.fixture(scope="module")
def arenas(cache: Path, sandbox: Sandbox, red_places: Dirs) -> Generator[Arenas]:
    made = Arenas(Dirs(cache=cache, runs=cache / "no-runs"), red_places, sandbox)
    with made.stack:
        yield made


@pytest.mark.parametrize("name", TRIED)
def test_an_attack_earns_reaches_and_leaves_nothing(arenas: Arenas, name: str):
    _try(arenas["data-efficiency"], name)


@pytest.mark.long
@pytest.mark.parametrize(("task", "name"), ELSEWHERE)
def test_nor_does_it_on_the_other_tasks(arenas: Arenas, task: str, name: str):
    _try(arenas[task], name)


def _try(real_arena: RedTeamRun, name: str) -> None:
    row = real_arena.try_attack(find_attack(name))
    assert row.has_run, row
    assert not row.earned, row
    assert row.reached == ()
    assert row.leftovers == ()
    assert row.as_expected, row
