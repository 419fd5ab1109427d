from dataclasses import dataclass

import pytest

from fmlbench.agents.registry import AGENTS, agent_spec, build_agent
from fmlbench.agents.search_agent import SearchAgent
from fmlbench.agents.settings import Setting, made_with, parameter, read_settings, settings_of, with_defaults
from fmlbench.core.errors import BadRequest
from fmlbench.testing.context import bare_context


@dataclass(frozen=True)
class Part:
    tries: int = parameter(2, "how many tries", low=0)
    chance: float = parameter(0.5, "how likely", low=0, high=1)
    name: str = parameter("plain", "what it is called")
    inner: int = 7


def read(**given: str) -> dict[str, int | float | str]:
    return read_settings("it", settings_of(Part), given)


def test_settings_are_the_parameters_and_nothing_else():
    assert settings_of(Part) == {
        "tries": Setting(2, "how many tries", low=0),
        "chance": Setting(0.5, "how likely", low=0, high=1),
        "name": Setting("plain", "what it is called"),
    }


def test_what_is_not_given_has_its_default():
    assert read(chance="0.25") == {"tries": 2, "chance": 0.25, "name": "plain"}


def test_a_part_is_made_with_what_is_its_own():
    assert made_with(Part, {**read(tries="5"), "another's": 1}) == Part(tries=5)


@pytest.mark.parametrize(
    ("given", "message", "hint"),
    [
        ({"tries": "-1"}, "must be a whole number, 0 or more, got '-1'.", "tries: how many tries; default 2."),
        ({"tries": "1.5"}, "must be a whole number, 0 or more, got '1.5'.", "tries: how many tries; default 2."),
        ({"chance": "1.1"}, "must be a number, 0 to 1, got '1.1'.", "chance: how likely; default 0.5."),
        ({"chance": "nan"}, "must be a number, 0 to 1, got 'nan'.", "chance: how likely; default 0.5."),
        ({"chance": "often"}, "must be a number, 0 to 1, got 'often'.", "chance: how likely; default 0.5."),
    ],
)
def test_an_invalid_value_is_rejected_with_the_allowed_range(given: dict[str, str], message: str, hint: str):
    (key,) = given
    with pytest.raises(BadRequest) as caught:
        read(**given)
    assert caught.value.message == f"Setting '{key}' of agent 'it' {message}"
    assert caught.value.hint == hint


def test_a_preset_s_defaults_keep_the_type_and_the_range_of_what_they_stand_for():
    settings = with_defaults("it", settings_of(Part), {"chance": 1})
    assert read_settings("it", settings, {"chance": "0.25"})["chance"] == 0.25
    with pytest.raises(BadRequest, match="Setting 'tries' of agent 'it' must be a whole number, 0 or more, got '-1'"):
        with_defaults("it", settings_of(Part), {"tries": -1})
    with pytest.raises(BadRequest, match="Agent 'it' has no setting named 'try'"):
        with_defaults("it", settings_of(Part), {"try": 1})


@pytest.mark.parametrize("word", ["inf", "1e999"])
def test_what_no_record_can_hold_is_refused_whatever_the_range(word: str):
    with pytest.raises(ValueError, match=word):
        Setting(1.0, "", low=0).read(word)


@pytest.mark.parametrize(
    ("low", "high", "words"), [(None, None, ""), (1, None, "1 or more"), (None, 2, "2 or less"), (0, 0.5, "0 to 0.5")]
)
def test_a_range_is_described(low: float | None, high: float | None, words: str):
    assert Setting(1, "", low=low, high=high).range == words


def test_settings_that_do_not_go_together_are_refused():
    with pytest.raises(BadRequest) as caught:
        agent_spec("ai-scientist-v2", {"tuning": "0.6"})
    assert caught.value.message == (
        "Invalid settings of agent 'ai-scientist-v2': basic plus tuning plus creative must be at most 1."
    )
    assert caught.value.hint == "'fmlbench agents ai-scientist-v2' lists its settings."


SEARCHES = sorted(name for name, entry in AGENTS.items() if entry.proposer == "mutate")


@pytest.mark.parametrize("name", SEARCHES)
def test_every_parameter_of_a_strategy_can_be_set_and_reaches_it(name: str):
    for key, setting in AGENTS[name].settings.items():
        other = setting.default + 1 if isinstance(setting.default, int) else float(setting.default) / 2
        spec = agent_spec(name, {key: str(other)})
        agent = build_agent(spec, bare_context())
        assert isinstance(agent, SearchAgent)
        assert spec.settings[key] == other
        assert getattr(agent.strategy, key) == other


@pytest.mark.parametrize("name", SEARCHES)
def test_a_strategy_has_no_parameter_that_cannot_be_set(name: str):
    agent = build_agent(agent_spec(name, {}), bare_context())
    assert isinstance(agent, SearchAgent)
    assert vars(agent.strategy) == agent_spec(name, {}).settings
