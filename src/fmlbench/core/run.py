"""The specification of a run, and which of its steps are retested."""

import hashlib
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated

from pydantic import Field

from fmlbench.core.record import Record
from fmlbench.core.task import Task, World, track_text


class Isolation(StrEnum):
    """How candidate code is isolated; scores of different levels are never compared."""

    BUBBLEWRAP = "bubblewrap"
    NONE = "none"

    @property
    def is_sealed(self) -> bool:
        """Whether the operating system keeps labels and grader out of candidates' reach."""
        return self is not Isolation.NONE


class Budget(Record):
    """What an agent may spend; the run ends when the first limit is reached."""

    steps: Annotated[int, Field(ge=0)]
    hours: Annotated[float, Field(gt=0)] | None = None
    """Time of proposals and experiments; the time between an interruption and a resume is not counted."""
    dollars: Annotated[float, Field(gt=0)] | None = None
    tokens: Annotated[int, Field(gt=0)] | None = None
    """Model tokens, input and output together."""

    @property
    def terms(self) -> str:
        """All limits as text; runs with equal terms have equal budgets."""
        limits = (("steps", self.steps), ("hours", self.hours), ("dollars", self.dollars), ("tokens", self.tokens))
        return ", ".join(f"{limit:.15g} {unit}" for unit, limit in limits if limit is not None)


class AgentSpec(Record):
    """An agent's name and settings."""

    name: str
    """A registered name, or the path of the file that defines the agent."""
    strategy: str
    proposer: str
    settings: dict[str, int | float | str] = {}
    model: str = ""
    """The language model that writes the code; empty for agents without one."""
    prompts: str = ""
    """A digest of its prompts."""
    replay: str = ""
    """The folder of the run whose recorded model responses are replayed."""
    file: Annotated[str, Field(exclude_if=lambda digest: not digest)] = ""
    """A digest of the user's file that defines the agent; empty, and not stored, for agents from a package."""

    @property
    def slug(self) -> str:
        """The agent's part of a run's name."""
        name = self.name.rsplit("/", 1)[-1].removesuffix(".py")
        model = re.sub(r"[^\w.-]+", "-", re.split(r"[/#]", self.model.rstrip("/"))[-1])
        return f"{name}-{model}" if model else name


def agent_names(agents: Sequence[AgentSpec]) -> list[str]:
    """A name for each of several agents, so that equal names mean equal agents.

    The name is the agent's slug. If different agents share a slug, the settings in which they differ are appended:
    ``mcts:exploration=2``.
    """
    # The thousands of runs of a sweep share a few agents.
    distinct = {id(agent): agent for agent in agents}
    namesakes: defaultdict[str, list[dict[str, str]]] = defaultdict(list[dict[str, str]])
    for agent in distinct.values():
        namesakes[agent.slug].append(_traits(agent))
    differing = {slug: _differing(traits) for slug, traits in namesakes.items()}
    names = {key: _name(agent, differing[agent.slug]) for key, agent in distinct.items()}
    return [names[id(agent)] for agent in agents]


def _differing(agents: Sequence[dict[str, str]]) -> list[str]:
    keys = dict.fromkeys(key for traits in agents for key in traits)
    return [key for key in keys if len({traits.get(key, "") for traits in agents}) > 1]


def _name(agent: AgentSpec, keys: Sequence[str]) -> str:
    traits = _traits(agent)
    suffix = ",".join(f"{key}={traits.get(key, '')}" for key in keys)
    return f"{agent.slug}:{suffix}" if suffix else agent.slug


def _traits(agent: AgentSpec) -> dict[str, str]:
    """What distinguishes agents; an agent that replays recorded responses is the agent that got them."""
    parts = {"name": agent.name, "model": agent.model, "strategy": agent.strategy, "proposer": agent.proposer}
    digests = {"prompts": agent.prompts[:8], "file": agent.file[:8]}
    return {**parts, **digests, **{key: str(value) for key, value in agent.settings.items()}}


class RunSpec(Record):
    """One agent, one task, one seed."""

    task: str
    """The task's name, or the path of its folder."""
    task_digest: str
    track: str
    # Not stored when False: the id of a run is a digest of its record.
    smoke: Annotated[bool, Field(exclude_if=lambda smoke: not smoke)] = False
    """Whether this is a smoke test of the track."""
    agent: AgentSpec
    seed: int
    budget: Budget
    isolation: Isolation
    retest_seeds: Annotated[int, Field(ge=0)] = 3
    label: str = ""
    """A suffix that allows several runs with identical options."""

    @property
    def track_text(self) -> str:
        """The track, or its smoke test."""
        return track_text(self.track, smoke=self.smoke)

    @property
    def retest_terms(self) -> str:
        """How often winners are retested, as text."""
        return f"{self.retest_seeds} retest{'' if self.retest_seeds == 1 else 's'}"

    @property
    def run_id(self) -> str:
        """A readable name that is unique to the specification."""
        digest = hashlib.sha256(self.model_dump_json().encode()).hexdigest()[:8]
        task = self.task.rstrip("/").rsplit("/", 1)[-1]
        return f"{task}.{self.track_text}.{self.agent.slug}.s{self.seed}.{digest}"


STARVED_SHARE = 0.02
"""With so little training data a method falls back to the ablation's score. Memorized knowledge does not."""


class RetestKind(StrEnum):
    """Which question a retest answers."""

    FRESH = "retest"
    """Does the winner still beat the baseline on samples that no step has seen?"""
    TRANSFER = "transfer"
    """Does it beat the baseline on the task's sibling, which the agent never saw?"""
    STARVED = "starved"
    """Does it keep its score with almost no training data? Then its code contains knowledge about the test data."""

    @property
    def world(self) -> World:
        """Which data the samples come from."""
        return World.SIBLING if self is RetestKind.TRANSFER else World.SCORED

    @property
    def train_share(self) -> float:
        """The share of the training examples that samples keep."""
        return STARVED_SHARE if self is RetestKind.STARVED else 1.0


@dataclass(frozen=True, order=True)
class RetestKey:
    """One retest of a run."""

    kind: RetestKind
    index: int
    """Which step's code; 0 is the baseline."""
    seed: int


def due_retests(task: Task | None, seeds: int, winner: int) -> Iterator[RetestKey]:
    """The retests of a run in execution order: baselines first, because winners are compared with them."""
    indices = (0, winner) if winner else (0,)
    yield from (RetestKey(RetestKind.FRESH, index, seed) for index in indices for seed in range(seeds))
    if not winner or not seeds or task is None or not task.sibling:
        return
    yield from (RetestKey(RetestKind.TRANSFER, index, seed) for index in indices for seed in range(seeds))
    yield RetestKey(RetestKind.STARVED, winner, 0)
