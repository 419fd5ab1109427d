"""All agents by name, with their settings.

A Python file that defines an ``AgentEntry`` is an agent, too, named by its path. Other packages add agents with an
entry point in the group ``fmlbench.agents`` whose value is an ``AgentEntry``.
"""

import difflib
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

from fmlbench.agents.entry import AgentContext, AgentEntry
from fmlbench.agents.program.entries import PROGRAMS
from fmlbench.agents.proposers.fixed import Reference, ScriptedProposer, Unchanged
from fmlbench.agents.proposers.llm.config import PromptConfig
from fmlbench.agents.script import read_script
from fmlbench.agents.search_agent import Observer, SearchAgent
from fmlbench.agents.settings import (
    Setting,
    Value,
    made_with,
    read_settings,
    require_strategy,
    settings_of,
    with_defaults,
)
from fmlbench.agents.strategies.adaptive import Adaptive
from fmlbench.agents.strategies.ai_scientist import AIScientist
from fmlbench.agents.strategies.ai_scientist_v2 import AIScientistV2
from fmlbench.agents.strategies.aide import Aide
from fmlbench.agents.strategies.evolve import Evolve
from fmlbench.agents.strategies.greedy import Greedy
from fmlbench.agents.strategies.linear import Linear
from fmlbench.agents.strategies.mcts import MonteCarlo
from fmlbench.agents.strategies.random_search import RandomSearch
from fmlbench.agents.strategies.repeat import Repeat
from fmlbench.agents.strategies.scripted import ScriptedStrategy
from fmlbench.agents.strategies.sketches import Sketching
from fmlbench.agents.user_file import Mistake, in_words, is_file_of_agents, load_one, mistakes_in, read_agent_file
from fmlbench.core.agents import Agent, Proposer, Strategy
from fmlbench.core.errors import AgentBroken, AgentNotFound, BadRequest, RunDamaged
from fmlbench.core.run import AgentSpec
from fmlbench.models.chat import ChatModel

ENTRY_POINTS = "fmlbench.agents"


@dataclass(frozen=True)
class ProposerEntry:
    """The part of a search agent that writes code."""

    name: str
    make: Callable[[AgentSpec], Proposer]
    settings: Mapping[str, Setting] = field(default_factory=dict[str, Setting])
    """Added to those of the strategy."""


def _mutate(_spec: AgentSpec) -> Proposer:
    """Imported here, because listing agents must not load a syntax-tree library."""
    from fmlbench.agents.proposers.mutate.proposer import Mutate  # noqa: PLC0415

    return Mutate()


MUTATE = ProposerEntry("mutate", _mutate)
LANGUAGE_MODEL = "llm"
"""The proposer of agents that are given a model."""


def search_entry(
    name: str,
    strategy: type[Strategy],
    description: str,
    *,
    proposer: ProposerEntry = MUTATE,
    observer: Observer | None = None,
    defaults: Mapping[str, Value] | None = None,
) -> AgentEntry:
    """A search agent; its settings are the parameters of its strategy and its proposer.

    ``defaults`` replaces default values of these settings.
    """
    require_strategy(strategy)

    def build(spec: AgentSpec, context: AgentContext) -> Agent:
        writer = language_model(spec, context.model) if context.model else proposer.make(spec)
        return SearchAgent(made_with(strategy, spec.settings), writer, observer)

    return AgentEntry(
        name=name,
        description=description,
        strategy=name,
        proposer=proposer.name,
        build=build,
        settings=with_defaults(name, {**settings_of(strategy), **proposer.settings}, defaults or {}),
        model_can_propose=proposer is MUTATE,
        check=lambda values: made_with(strategy, values),
    )


def all_agents() -> dict[str, AgentEntry]:
    """Built-in agents and those of other packages, by name; built-in names take precedence."""
    others = (_loaded(point) for point in entry_points(group=ENTRY_POINTS))
    return {**{entry.name: entry for entry in others if isinstance(entry, AgentEntry)}, **AGENTS}


def _loaded(point: EntryPoint) -> object:
    try:
        return point.load()
    except Exception as error:
        raise AgentBroken(
            f"Agent '{point.name}' of another package cannot be loaded: {in_words(error)}.",
            hint=f"Fix or remove the package that provides '{point.value}'.",
        ) from error


def agent_spec(name: str, settings: Mapping[str, str], model: str = "") -> AgentSpec:
    """The record of the agent with this name."""
    return spec_of(find_agent(name), settings, model)


def spec_of(entry: AgentEntry, settings: Mapping[str, str], model: str = "") -> AgentSpec:
    """The record of an agent with the values of all its settings.

    A model replaces the proposer ``mutate``: the strategy stays the same, and the model's settings are added. A program
    calls the model itself.
    """
    name = entry.name
    if entry.default_model is not None:
        return _spec(entry, read_settings(name, entry.settings, settings)).model_copy(
            update={"model": model or entry.default_model}
        )
    if model and not entry.model_can_propose:
        hint = f"'fmlbench agents' lists all agents; those with the proposer {MUTATE.name} take a model."
        raise BadRequest(f"Agent '{name}' does not take a model.", hint=hint)
    if not model:
        _reject_model_settings(entry, settings)
    values = read_settings(name, {**entry.settings, **(model_settings(entry) if model else {})}, settings)
    with _mistakes_of(entry):
        try:
            entry.check(values)
            if model:
                made_with(PromptConfig, values)
        except ValueError as error:
            hint = f"'fmlbench agents {name}' lists its settings."
            raise BadRequest(f"Invalid settings of agent '{name}': {error}.", hint=hint) from error
    spec = _spec(entry, values)
    if not model:
        return spec
    return spec.model_copy(update={"proposer": LANGUAGE_MODEL, "model": model, "prompts": _prompt_digest()})


def takes_model(entry: AgentEntry) -> bool:
    """Whether an agent can be given a language model."""
    return entry.default_model is not None or entry.model_can_propose


def model_settings(entry: AgentEntry) -> Mapping[str, Setting]:
    """Additional settings of an agent that is given a model; programs have none."""
    return settings_of(PromptConfig) if entry.model_can_propose else {}


def _reject_model_settings(entry: AgentEntry, given: Mapping[str, str]) -> None:
    for key in given:
        if key in model_settings(entry) and key not in entry.settings:
            raise BadRequest(
                f"Agent '{entry.name}' has no setting named '{key}'.",
                hint="It is a setting of language models: add --model NAME.",
            )


def _spec(entry: AgentEntry, values: dict[str, Value]) -> AgentSpec:
    return AgentSpec(
        name=entry.name, strategy=entry.strategy, proposer=entry.proposer, settings=values, file=entry.file
    )


def is_program(spec: AgentSpec) -> bool:
    """Whether an agent is a separate program."""
    return find_agent(spec.name, spec.file).is_program


def build_agent(spec: AgentSpec, context: AgentContext, entry: AgentEntry | None = None) -> Agent:
    """Build the agent of a specification; ``entry`` is its entry, if it has been looked up before."""
    entry = entry or find_agent(spec.name, spec.file)
    with _mistakes_of(entry):
        agent = entry.build(spec, context)
        _require_methods(agent)
    return agent


def language_model(spec: AgentSpec, model: ChatModel) -> Proposer:
    """The proposer of a specification that names a model; ``model`` is its client."""
    from fmlbench.agents.proposers.llm.proposer import LanguageModel  # noqa: PLC0415

    if spec.prompts != _prompt_digest():
        raise RunDamaged(
            "The prompts have changed since this run was started.",
            hint="Resume it with the version of fmlbench that started it, or start a new run.",
        )
    return LanguageModel(model, made_with(PromptConfig, spec.settings))


def _prompt_digest() -> str:
    from fmlbench.agents.prompts import digest  # noqa: PLC0415 - listing agents needs no templates

    return digest()


def _require_methods(agent: object) -> None:
    asked: dict[str, object] = {"run": agent}
    if isinstance(agent, SearchAgent):
        asked |= {"next_move": agent.strategy, "propose": agent.proposer}
    for method, part in asked.items():
        if not callable(getattr(part, method, None)):
            raise Mistake(f"{type(part).__name__} has no method {method}")


def _mistakes_of(entry: AgentEntry) -> AbstractContextManager[None]:
    """Report exceptions as mistakes in the agent's file, if it has one."""
    return mistakes_in(entry.name) if entry.file else nullcontext()


def find_agent(name: str, digest: str = "") -> AgentEntry:
    """The agent with this name, or in this file, which must have the given digest."""
    if is_file_of_agents(name):
        file = read_agent_file(Path(name).resolve(), digest)
        return replace(load_one(file, AgentEntry), name=str(file.path), file=file.digest)
    agents = AGENTS if name in AGENTS else all_agents()
    if name in agents:
        return agents[name]
    close = difflib.get_close_matches(name, agents, n=1)
    listed = ", ".join(sorted(agent.name for agent in agents.values() if not agent.is_double))
    hint = f"Did you mean '{close[0]}'?" if close else f"Known agents: {listed}."
    raise AgentNotFound(f"There is no agent named '{name}'.", hint=hint)


def _noop(_spec: AgentSpec, _context: AgentContext) -> Agent:
    return SearchAgent(Repeat(), Unchanged())


def _oracle(_spec: AgentSpec, context: AgentContext) -> Agent:
    return SearchAgent(Repeat(times=1), Reference(context.reference, context.reference_idea))


def _scripted(spec: AgentSpec, _context: AgentContext) -> Agent:
    script = read_script(Path(str(spec.settings["script"])))
    return SearchAgent(ScriptedStrategy(script), ScriptedProposer(script))


AGENTS: dict[str, AgentEntry] = {
    entry.name: entry
    for entry in (
        AgentEntry(
            name="noop",
            description="Submits the unchanged baseline in every step; the scores show the noise.",
            strategy="repeat",
            proposer="unchanged",
            build=_noop,
        ),
        AgentEntry(
            name="oracle",
            description="Submits the task's expert reference once; the score shows what is known to be possible.",
            strategy="repeat",
            proposer="reference",
            build=_oracle,
        ),
        search_entry("random", RandomSearch, "Improves a random earlier step; the control for all other strategies."),
        search_entry("linear", Linear, "Always improves the last step, like a coding agent in a single folder."),
        search_entry("greedy", Greedy, "Improves the best step so far and fixes failures first, like autoresearch."),
        search_entry("aide", Aide, "AIDE: a few drafts, then fixes a failed step or improves the best one."),
        search_entry(
            "mcts", MonteCarlo, "AIRA's Monte-Carlo tree search: balances good steps against rarely visited ones."
        ),
        search_entry("ai-scientist", AIScientist, "The AI Scientist: one idea after the other, a few runs for each."),
        search_entry("ai-scientist-v2", AIScientistV2, "The AI Scientist v2: best-first tree search in four stages."),
        search_entry("evolve", Evolve, "OpenEvolve: islands of elites that breed and migrate.", observer=Sketching()),
        search_entry(
            "adaptive", Adaptive, "Greedy until it stagnates, then several branches in turn.", observer=Sketching()
        ),
        *PROGRAMS,
        AgentEntry(
            name="scripted",
            description="Submits the steps of a JSON file; a test double.",
            strategy="scripted",
            proposer="scripted",
            build=_scripted,
            settings={"script": Setting("", "path of a JSON file with the steps", required=True, is_path=True)},
            is_double=True,
        ),
    )
}
