"""Every strategy grows the tree of its paper, with random changes and with a model; the long tests run experiments."""

import pytest

from fmlbench.agents.registry import AGENTS, MUTATE, agent_spec, build_agent
from fmlbench.models.scripted import TinkerModel
from fmlbench.testing.context import bare_context
from fmlbench.testing.sessions import Files, RecordedSession
from tests.shapes import SHAPES, STEPS

MODEL = "scripted/tinker"
FILES = {"model.py": "width = 8\ndepth = 2\nrate = 0.5\nmomentum = 0.9\ndecay = 0.01\n"}


def score(files: Files) -> float:
    values: dict[str, float] = {}
    exec(files["model.py"], values)
    if values["depth"] > 6:
        raise ValueError("too deep")
    return values["rate"] / (1 + abs(values["width"] - 20) + values["decay"]) + values["momentum"] * 0.01


def test_no_strategy_is_without_a_picture():
    assert SHAPES.keys() == {name for name, entry in AGENTS.items() if entry.proposer == MUTATE.name}


@pytest.mark.parametrize("model", ["", MODEL], ids=["mutate", "model"])
@pytest.mark.parametrize("name", SHAPES)
def test_the_tree_is_the_paper_s(name: str, model: str):
    settings, check_shape = SHAPES[name]
    session = RecordedSession(FILES, score, steps=STEPS)
    spec = agent_spec(name, settings, model)
    build_agent(spec, bare_context(model=TinkerModel(MODEL) if model else None)).run(session)
    assert len(session.history.proposed) == STEPS
    check_shape(session.history)
