import hashlib
import os
import sys
from pathlib import Path

import pytest

from fmlbench.agents.registry import agent_spec, build_agent, find_agent, is_program
from fmlbench.agents.search_agent import SearchAgent
from fmlbench.agents.strategies.aide import Aide
from fmlbench.core.errors import AgentChanged, AgentNotFound, BadRequest
from fmlbench.testing.context import bare_context

PRESET = """
from fmlbench.agents.registry import search_entry
from fmlbench.agents.strategies.aide import Aide

AGENT = search_entry("bold", Aide, "AIDE with many drafts.", defaults={"drafts": 10})
"""


@pytest.fixture
def preset(tmp_path: Path) -> Path:
    path = tmp_path / "bold.py"
    path.write_text(PRESET)
    return path


def test_an_agent_is_found_in_a_file(preset: Path):
    assert find_agent(str(preset)).description == "AIDE with many drafts."


def test_a_preset_has_defaults_of_its_own_that_can_be_set(preset: Path):
    assert agent_spec(str(preset), {}).settings == {"drafts": 10, "debug_chance": 0.5, "debug_depth": 3}
    agent = build_agent(agent_spec(str(preset), {"debug_depth": "1"}), bare_context())
    assert isinstance(agent, SearchAgent)
    assert agent.strategy == Aide(drafts=10, debug_depth=1)


def test_the_record_holds_the_whole_path_and_a_run_is_named_by_the_last_of_it(
    preset: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(preset.parent)
    spec = agent_spec("./bold.py", {})
    assert (spec.name, spec.slug) == (str(preset), "bold")


def test_a_missing_file_is_reported(tmp_path: Path):
    with pytest.raises(AgentNotFound, match="There is no file"):
        find_agent(str(tmp_path / "none.py"))


@pytest.mark.parametrize(("text", "count"), [("x = 1", 0), (PRESET + PRESET.replace("AGENT", "OTHER"), 2)])
def test_a_file_defines_one_agent(tmp_path: Path, text: str, count: int):
    path = tmp_path / "agents.py"
    path.write_text(text)
    with pytest.raises(BadRequest, match=f"defines {count} agents, not one"):
        find_agent(str(path))


def test_the_record_holds_a_digest_of_the_file_and_none_for_agents_of_ours(preset: Path):
    assert agent_spec(str(preset), {}).file == hashlib.sha256(preset.read_bytes()).hexdigest()
    assert agent_spec("aide", {}).file == ""


def test_a_file_that_has_changed_is_not_what_the_record_names(preset: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(preset.parent)
    spec = agent_spec("./bold.py", {})
    preset.write_text("half written (")
    with pytest.raises(AgentChanged) as caught:
        build_agent(spec, bare_context())
    assert caught.value.message == "./bold.py has changed since this run was started."
    assert caught.value.hint == "Restore the file, or start a new run with the same command."
    with pytest.raises(AgentChanged):
        is_program(spec)
    preset.write_text(PRESET)
    assert isinstance(build_agent(spec, bare_context()), SearchAgent)


def test_a_record_without_a_digest_can_be_resumed(preset: Path):
    spec = agent_spec(str(preset), {}).model_copy(update={"file": ""})
    assert isinstance(build_agent(spec, bare_context()), SearchAgent)


def test_what_is_run_is_the_file_as_it_is_however_quickly_it_was_changed(preset: Path, monkeypatch: pytest.MonkeyPatch):
    """Python itself would take a compiled file for it that is as old, and of a source as long."""
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    times = preset.stat().st_atime_ns, preset.stat().st_mtime_ns
    find_agent(str(preset))
    preset.write_text(PRESET.replace("many drafts", "more drafts"))
    os.utime(preset, ns=times)
    assert find_agent(str(preset)).description == "AIDE with more drafts."


def test_a_file_is_executed_once_however_often_it_is_looked_up(preset: Path, tmp_path: Path):
    executed = tmp_path / "executed"
    preset.write_text(f"with open({str(executed)!r}, 'a') as file:\n    file.write('x')\n{PRESET}")
    spec = agent_spec(str(preset), {})
    build_agent(spec, bare_context())
    assert not is_program(spec)
    assert executed.read_text() == "x"


def test_files_of_the_same_name_are_two_agents(preset: Path, tmp_path: Path):
    other = tmp_path / "other" / "bold.py"
    other.parent.mkdir()
    other.write_text(PRESET.replace("many drafts", "more drafts"))
    assert find_agent(str(other)).description == "AIDE with more drafts."
    assert find_agent(str(preset)).description == "AIDE with many drafts."
