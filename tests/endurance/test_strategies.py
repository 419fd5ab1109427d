"""Every strategy takes twenty steps with kills and gives the tree of its paper.

On a real task a case takes ten minutes of two cores: `pytest -m long tests/endurance/test_strategies.py -k toy` has the
others.
"""

import signal
from dataclasses import replace
from pathlib import Path

import pytest

from fmlbench.agents.registry import agent_spec, build_agent
from fmlbench.agents.search_agent import SearchAgent, seeded_rng
from fmlbench.core.progress import Silent
from fmlbench.core.run import Budget, Isolation, RunSpec
from fmlbench.core.steps import History
from fmlbench.engine.preparation import prepare
from fmlbench.engine.run import create
from fmlbench.models.scripted import TinkerModel
from fmlbench.records.folder import RunFolder
from fmlbench.records.replay import read_state
from fmlbench.sandbox.protocol import Sandbox
from fmlbench.tasks.library import find_task
from fmlbench.testing.context import bare_context
from fmlbench.workspace.dirs import Dirs
from tests.endurance.conftest import Play
from tests.endurance.records import times_logged
from tests.shapes import SHAPES, STEPS
from tests.terminal import Terminal

pytestmark = [pytest.mark.sandbox, pytest.mark.long, pytest.mark.timeout(5400)]

EVENTS_BETWEEN_KILLS = 25
MODEL = "scripted/tinker"


@pytest.mark.parametrize("model", ["", MODEL], ids=["mutate", "model"])
@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("task", ["toy", "data-efficiency"])
def test_twenty_steps_with_kills_give_the_tree_of_the_paper(
    task: str, name: str, model: str, cache: Path, sandbox: Sandbox, tmp_path: Path, play: Play
):
    settings, check_shape = SHAPES[name]
    dirs = Dirs(cache=cache, runs=tmp_path / "runs")
    prepared = prepare(find_task(task), "cpu", dirs=dirs, sandbox=sandbox, progress=Silent())
    spec = RunSpec(
        task=task,
        task_digest=prepared.folder.digest,
        track="cpu",
        agent=agent_spec(name, settings, model),
        seed=0,
        budget=Budget(steps=STEPS),
        isolation=Isolation.BUBBLEWRAP,
        retest_seeds=0,
    )
    folder = create(spec, dirs)
    deaths = play_with_kills(folder, play)
    shown = Terminal(cache, tmp_path / "runs", COLUMNS="110").type("show", folder.path.name).stdout
    history = read_state(folder).history(prepared.task.metric)
    assert len(history.proposed) == STEPS
    assert deaths >= 2
    assert [f"{step.index} ok" in shown for step in history if step.evaluation.is_ok].count(False) == 0
    assert set(times_logged(folder).values()) == {1}
    assert_decided_as_if_never_killed(history, spec)
    check_shape(history)


def play_with_kills(folder: RunFolder, play: Play) -> int:
    for deaths in range(STEPS):
        process = play(folder, EVENTS_BETWEEN_KILLS)
        output, _ = process.communicate()
        if process.returncode == 0:
            return deaths
        assert process.returncode == -signal.SIGKILL, output.decode()
    raise AssertionError("the run does not get on")


def assert_decided_as_if_never_killed(history: History, spec: RunSpec) -> None:
    agent = build_agent(spec.agent, bare_context(model=TinkerModel(MODEL) if spec.agent.model else None))
    assert isinstance(agent, SearchAgent)
    for step in history.proposed:
        known = tuple(note for note in history.notes if note.step < step.index)
        before = replace(history, steps=history.steps[: step.index], notes=known)
        assert agent.strategy.next_move(before, seeded_rng(spec.seed, "move", step.index)) == step.move
