import json
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from fmlbench.agents import registry
from fmlbench.agents.entry import AgentContext
from fmlbench.agents.proposers.fixed import Unchanged
from fmlbench.agents.registry import AGENTS, AgentEntry, agent_spec, all_agents, build_agent
from fmlbench.agents.search_agent import SearchAgent
from fmlbench.agents.strategies.repeat import Repeat
from fmlbench.core.agents import Agent
from fmlbench.core.errors import AgentBroken, AgentNotFound, BadRequest
from fmlbench.core.run import AgentSpec
from fmlbench.testing.context import bare_context
from fmlbench.testing.sessions import Files, RecordedSession

FILES = {"research.py": "rate = 0.5\n"}


CONTEXT = bare_context({"research.py": "rate = 1.0\n"}, "the known best")


def score(files: Files) -> float:
    values: dict[str, float] = {}
    exec(files["research.py"], values)
    return values["rate"]


def run(name: str, settings: dict[str, str] | None = None, steps: int = 3) -> RecordedSession:
    session = RecordedSession(FILES, score, steps=steps)
    build_agent(agent_spec(name, settings or {}), CONTEXT).run(session)
    return session


@pytest.mark.parametrize(
    "name", sorted(name for name, entry in AGENTS.items() if not (entry.is_double or entry.is_program))
)
def test_every_agent_can_be_named_built_and_run(name: str):
    assert len(run(name).history.proposed) >= 1


def test_no_description_counts_on_its_place_in_a_list():
    assert not any("follow" in entry.description for entry in AGENTS.values())


def test_every_entry_stands_under_its_own_name_with_a_sentence():
    for name, entry in AGENTS.items():
        assert entry.name == name
        assert entry.description.endswith(".")
        assert "\n" not in entry.description


def test_noop_reproduces_the_baseline_in_every_step():
    assert [step.score for step in run("noop").history] == [0.5] * 4


def test_oracle_applies_the_reference_once_and_is_done():
    history = run("oracle").history
    assert [(step.idea, step.score) for step in history.proposed] == [("the known best", 1.0)]


def test_scripted_plays_its_file(tmp_path: Path):
    path = tmp_path / "script.json"
    path.write_text(json.dumps([{"idea": "faster", "files": {"research.py": "rate = 0.7\n"}}]))
    history = run("scripted", {"script": str(path)}).history
    assert [(step.idea, step.score) for step in history.proposed] == [("faster", 0.7)]


def test_a_specification_holds_defaults_too_so_that_a_record_says_it_all():
    assert agent_spec("greedy", {}) == AgentSpec(
        name="greedy", strategy="greedy", proposer="mutate", settings={"debug_tries": 2}
    )


def test_settings_get_the_type_of_their_default():
    assert agent_spec("greedy", {"debug_tries": "5"}).settings == {"debug_tries": 5}


def test_a_setting_reaches_the_strategy():
    agent = build_agent(agent_spec("greedy", {"debug_tries": "0"}), CONTEXT)
    assert isinstance(agent, SearchAgent)
    assert vars(agent.strategy) == {"debug_tries": 0}


def test_a_misspelt_agent_gets_a_hint():
    with pytest.raises(AgentNotFound) as caught:
        agent_spec("gredy", {})
    assert (caught.value.message, caught.value.hint) == (
        "There is no agent named 'gredy'.",
        "Did you mean 'greedy'?",
    )


def test_an_unheard_of_agent_gets_the_list_without_test_doubles():
    with pytest.raises(AgentNotFound) as caught:
        agent_spec("xyzzy", {})
    assert caught.value.hint.startswith("Known agents: adaptive, ")
    assert "greedy, human, linear, mcts" in caught.value.hint
    assert "scripted" not in caught.value.hint


def test_a_path_is_recorded_so_that_it_holds_anywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", "/home/user")
    assert agent_spec("codex", {"program": "bin/codex"}).settings["program"] == str(tmp_path / "bin" / "codex")
    assert agent_spec("codex", {"program": "~/codex"}).settings["program"] == "/home/user/codex"
    assert agent_spec("codex", {}).settings["program"] == ""


def test_an_unknown_setting_is_refused():
    with pytest.raises(BadRequest) as caught:
        agent_spec("greedy", {"depth": "3"})
    assert caught.value.message == "Agent 'greedy' has no setting named 'depth'."
    assert caught.value.hint == "Its settings: debug_tries."


def test_a_setting_of_the_wrong_kind_is_refused():
    with pytest.raises(BadRequest, match="got 'many'"):
        agent_spec("greedy", {"debug_tries": "many"})


def test_a_setting_that_is_needed_is_asked_for():
    with pytest.raises(BadRequest, match="needs the setting 'script'"):
        agent_spec("scripted", {})


def _build_theirs(_spec: AgentSpec, _surroundings: AgentContext) -> Agent:
    return SearchAgent(Repeat(times=1), Unchanged())


THEIRS = AgentEntry(
    name="theirs", description="Another package's agent.", strategy="s", proposer="p", build=_build_theirs
)
FALSE_GREEDY = AgentEntry(name="greedy", description="An impostor.", strategy="s", proposer="p", build=_build_theirs)


@pytest.fixture
def other_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    points = [
        EntryPoint(name=name, value=f"{__name__}:{name}", group=registry.ENTRY_POINTS)
        for name in ("THEIRS", "FALSE_GREEDY")
    ]

    def installed(*, group: str) -> list[EntryPoint]:
        return [point for point in points if point.group == group]

    monkeypatch.setattr(registry, "entry_points", installed)


@pytest.mark.usefixtures("other_packages")
def test_other_packages_can_bring_agents():
    assert "theirs" in all_agents()
    assert len(run("theirs").history.proposed) == 1


def test_a_package_whose_agent_cannot_be_loaded_is_named(monkeypatch: pytest.MonkeyPatch):
    point = EntryPoint(name="lost", value="moonshine.agents:AGENT", group=registry.ENTRY_POINTS)

    def installed(*, group: str) -> list[EntryPoint]:
        return [point]

    monkeypatch.setattr(registry, "entry_points", installed)
    with pytest.raises(AgentBroken) as caught:
        all_agents()
    assert caught.value.message == "Agent 'lost' of another package cannot be loaded: No module named 'moonshine'."
    assert caught.value.hint == "Fix or remove the package that provides 'moonshine.agents:AGENT'."


@pytest.mark.usefixtures("other_packages")
def test_built_in_names_take_precedence():
    assert all_agents()["greedy"] is AGENTS["greedy"]
