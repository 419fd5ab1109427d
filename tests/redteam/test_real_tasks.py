"""Attacks on real tasks: PyTorch, real data, batch and streamed exams."""

from collections.abc import Generator
from contextlib import ExitStack
from pathlib import Path

import pytest

from fmlbench.core.progress import Silent
from fmlbench.engine.preparation import prepare
from fmlbench.engine.red_team import RedTeamRun, open_red_team_run
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
"""The toy task gets all attacks."""
ON_ALL_TASKS = [(folder.task.name, attack) for folder in all_tasks("core") for attack in TRIED[:2]]


class RedTeamRuns:
    """Opens one red-team run per task on first use; each measures the task's baseline."""

    def __init__(self, dirs: Dirs, red_dirs: Dirs, sandbox: Sandbox) -> None:
        self._dirs = dirs
        self._red_dirs = red_dirs
        self._sandbox = sandbox
        self._open: dict[str, RedTeamRun] = {}
        self.stack = ExitStack()

    def __getitem__(self, task: str) -> RedTeamRun:
        if task not in self._open:
            prepared = prepare(find_task(task), "cpu", dirs=self._dirs, sandbox=self._sandbox, progress=Silent())
            self._open[task] = self.stack.enter_context(open_red_team_run(prepared, self._red_dirs, Silent()))
        return self._open[task]


@pytest.fixture(scope="module")
def runs(cache: Path, sandbox: Sandbox, red_dirs: Dirs) -> Generator[RedTeamRuns]:
    opened = RedTeamRuns(Dirs(cache=cache, runs=cache / "no-runs"), red_dirs, sandbox)
    with opened.stack:
        yield opened


@pytest.mark.parametrize("name", TRIED)
def test_an_attack_gains_reaches_and_leaves_nothing(runs: RedTeamRuns, name: str):
    _try(runs["data-efficiency"], name)


@pytest.mark.long
@pytest.mark.parametrize(("task", "name"), ON_ALL_TASKS)
def test_an_attack_gains_nothing_on_any_task(runs: RedTeamRuns, task: str, name: str):
    _try(runs[task], name)


def _try(run: RedTeamRun, name: str) -> None:
    row = run.try_attack(find_attack(name))
    assert row.has_run, row
    assert not row.earned, row
    assert row.reached == ()
    assert row.leftovers == ()
    assert row.as_expected, row
