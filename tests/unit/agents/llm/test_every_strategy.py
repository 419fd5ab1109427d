"""Every search agent does research with a model, and a resumed search goes on as if never interrupted."""

import pytest

from fmlbench.agents.registry import AGENTS, MUTATE, agent_spec, build_agent
from fmlbench.core.evaluation import Outcome
from fmlbench.models.scripted import TinkerModel
from fmlbench.testing.context import bare_context
from fmlbench.testing.sessions import Files, RecordedSession, comparable_steps

FILES = {
    "model.py": "width = 8\ndepth = 2\nrate = 0.5\nbatch = 64\nmomentum = 0.9\nepochs = 30\n",
    "README.md": "Words.\n",
}
STEPS = 12


def score(files: Files) -> float:
    values: dict[str, float] = {}
    exec(files["model.py"], values)
    if values["depth"] > 3:
        raise ValueError("too deep")
    return values["rate"] / (1 + abs(values["width"] - 20))


@pytest.mark.parametrize("name", sorted(name for name, entry in AGENTS.items() if entry.proposer == MUTATE.name))
def test_a_search_with_a_model_resumes_as_if_never_interrupted(name: str):
    # Enough attempts that the tinkerer always finds a change that was not tried, whatever the prompts say.
    settings = {"edit_tries": "10", **({"ideas": "4"} if name == "ai-scientist" else {})}
    agent = build_agent(
        agent_spec(name, settings, "scripted/tinker"), bare_context(model=TinkerModel("scripted/tinker"))
    )
    whole = RecordedSession(FILES, score, steps=STEPS, seed=3)
    agent.run(whole)
    assert len(whole.history.proposed) == STEPS
    assert Outcome.REJECTED not in {step.evaluation.outcome for step in whole.history}
    resumed = whole.interrupted_after(5)
    agent.run(resumed)
    assert comparable_steps(resumed.history) == comparable_steps(whole.history)
