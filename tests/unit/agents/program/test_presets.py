"""The command lines of programs that we know."""

import shlex

import pytest

from fmlbench.agents.program.npm_package import Found
from fmlbench.agents.program.presets import PRESETS
from fmlbench.agents.registry import agent_spec

PROMPT = "$(cat $FML_PROMPT_FILE)"


def words_of(name: str, flags: str) -> list[str]:
    program = PRESETS[name].program(Found("program", (), ()), agent_spec(name, {"flags": flags}))
    return shlex.split(program.command.replace('"$FML_PROMPT_FILE"', "$FML_PROMPT_FILE"))


@pytest.mark.parametrize("name", ["claude-code", "gemini"])
def test_the_prompt_belongs_to_its_own_option_whatever_flags_are_added(name: str):
    """A list of tools would take the prompt for one more of them."""
    assert words_of(name, "--allowed-tools Bash Edit")[-5:] == ["--allowed-tools", "Bash", "Edit", "-p", PROMPT]
    assert words_of(name, "")[-2:] == ["-p", PROMPT]


def test_codex_takes_its_prompt_last():
    assert words_of("codex", "--color never")[-3:] == ["--color", "never", PROMPT]


@pytest.mark.parametrize("name", PRESETS)
def test_each_preset_is_an_agent_with_its_default_model(name: str):
    assert agent_spec(name, {}).model == PRESETS[name].default_model
