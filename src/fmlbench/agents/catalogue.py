"""The agents there are: by name, with their settings, built when they are asked for.

Other packages add theirs with an entry point in the group ``fmlbench.agents`` whose value is an ``AgentEntry``.
"""

import difflib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib.metadata import entry_points
from pathlib import Path

from fmlbench.agents.proposers.reference import Reference
from fmlbench.agents.proposers.scripted import Scripted
from fmlbench.agents.proposers.unchanged import Unchanged
from fmlbench.agents.script import read_script
from fmlbench.agents.search_agent import SearchAgent
from fmlbench.agents.strategies.greedy import Greedy
from fmlbench.agents.strategies.random_search import RandomSearch
from fmlbench.agents.strategies.repeat import Repeat
from fmlbench.agents.strategies.scripted import Scripted as ScriptedMoves
from fmlbench.core.agents import Agent, Proposer
from fmlbench.core.errors import AgentNotFound, BadRequest
from fmlbench.core.run import AgentSpec

ENTRY_POINTS = "fmlbench.agents"

Value = int | float | str

Expertise = tuple[Mapping[str, str], str]
"""A task's expert reference: the files it lays over the codebase, and its idea. Only ``oracle`` looks at it."""


@dataclass(frozen=True)
class Setting:
    """Something a user may set; its value has the type of its default."""

    default: Value
    meaning: str
    required: bool = False


@dataclass(frozen=True)
class AgentEntry:
    """An agent in the catalogue."""

    name: str
    description: str
    """One sentence that tells a user what to expect of it."""
    strategy: str
    proposer: str
    build: Callable[[AgentSpec, Expertise], Agent]
    settings: Mapping[str, Setting] = field(default_factory=dict[str, Setting])
    is_double: bool = False
    """A test double: it can be asked for by name, but listings leave it out."""


def all_agents() -> dict[str, AgentEntry]:
    """Built-in agents and those of other packages, by name; nobody can take a built-in name."""
    others = (point.load() for point in entry_points(group=ENTRY_POINTS))
    return {**{entry.name: entry for entry in others if isinstance(entry, AgentEntry)}, **AGENTS}


def agent_spec(name: str, settings: Mapping[str, str], model: str = "") -> AgentSpec:
    """Name an agent for the record, with all of its settings, whether given or left at their defaults."""
    entry = _entry(name)
    if model:
        raise BadRequest(f"Agent '{name}' has no use for a model.", hint="Leave the model out.")
    for key in settings:
        if key not in entry.settings:
            known = ", ".join(sorted(entry.settings)) or "none"
            raise BadRequest(f"Agent '{name}' has no setting named '{key}'.", hint=f"Its settings: {known}.")
    values = {key: _value(name, key, setting, settings) for key, setting in entry.settings.items()}
    return AgentSpec(name=name, strategy=entry.strategy, proposer=entry.proposer, settings=values)


def build_agent(spec: AgentSpec, expertise: Expertise) -> Agent:
    """Build the agent that a specification names."""
    return _entry(spec.name).build(spec, expertise)


def _entry(name: str) -> AgentEntry:
    agents = AGENTS if name in AGENTS else all_agents()
    if name in agents:
        return agents[name]
    close = difflib.get_close_matches(name, agents, n=1)
    listed = ", ".join(sorted(agent.name for agent in agents.values() if not agent.is_double))
    hint = f"Did you mean '{close[0]}'?" if close else f"There are: {listed}."
    raise AgentNotFound(f"There is no agent named '{name}'.", hint=hint)


def _value(name: str, key: str, setting: Setting, given: Mapping[str, str]) -> Value:
    if key not in given:
        if setting.required:
            raise BadRequest(f"Agent '{name}' needs the setting '{key}'.", hint=f"{key}: {setting.meaning}.")
        return setting.default
    kind = type(setting.default)
    try:
        return kind(given[key])
    except ValueError as error:
        raise BadRequest(
            f"Setting '{key}' of agent '{name}' cannot be '{given[key]}'.",
            hint=f"It is a number like {setting.default}: {setting.meaning}.",
        ) from error


def _noop(_spec: AgentSpec, _expertise: Expertise) -> Agent:
    return SearchAgent(Repeat(), Unchanged())


def _oracle(_spec: AgentSpec, expertise: Expertise) -> Agent:
    return SearchAgent(Repeat(times=1), Reference(*expertise))


def _random(_spec: AgentSpec, _expertise: Expertise) -> Agent:
    return SearchAgent(RandomSearch(), _mutate())


def _greedy(spec: AgentSpec, _expertise: Expertise) -> Agent:
    return SearchAgent(Greedy(debug_tries=int(spec.settings["debug_tries"])), _mutate())


def _scripted(spec: AgentSpec, _expertise: Expertise) -> Agent:
    script = read_script(Path(str(spec.settings["script"])))
    return SearchAgent(ScriptedMoves(script), Scripted(script))


def _mutate() -> Proposer:
    """Imported only now: listing agents must not take the time to load a syntax-tree library."""
    from fmlbench.agents.proposers.mutate.proposer import Mutate  # noqa: PLC0415

    return Mutate()


AGENTS: dict[str, AgentEntry] = {
    entry.name: entry
    for entry in (
        AgentEntry(
            name="noop",
            description="Hands in the baseline again and again: its scores show the noise.",
            strategy="repeat",
            proposer="unchanged",
            build=_noop,
        ),
        AgentEntry(
            name="oracle",
            description="Applies the task's expert reference once: its score shows what is known to be possible.",
            strategy="repeat",
            proposer="reference",
            build=_oracle,
        ),
        AgentEntry(
            name="random",
            description="Random search: mutates any earlier step that ran, without a language model.",
            strategy="random-search",
            proposer="mutate",
            build=_random,
        ),
        AgentEntry(
            name="greedy",
            description="Greedy search: mutates the best step so far, without a language model.",
            strategy="greedy",
            proposer="mutate",
            build=_greedy,
            settings={"debug_tries": Setting(2, "how often in a row a failed step is mended before it is given up")},
        ),
        AgentEntry(
            name="scripted",
            description="Plays the steps written in a JSON file; a test double.",
            strategy="scripted",
            proposer="scripted",
            build=_scripted,
            settings={"script": Setting("", "the path of a JSON file with the steps", required=True)},
            is_double=True,
        ),
    )
}
