"""What a run is asked to be."""

import hashlib
import re
from enum import StrEnum
from typing import Annotated

from pydantic import Field

from fmlbench.core.record import Record


class Rung(StrEnum):
    """How candidate code is held; scores of different rungs never mix."""

    BUBBLEWRAP = "bubblewrap"
    NONE = "none"

    @property
    def is_sealed(self) -> bool:
        """Whether the operating system keeps candidates away from what they are judged by."""
        return self is not Rung.NONE


class Budget(Record):
    """What an agent may spend; the run ends with the first limit reached."""

    steps: Annotated[int, Field(ge=0)]
    hours: Annotated[float, Field(gt=0)] | None = None
    """Of proposing and experiments, not of waiting between a stop and a resume."""
    dollars: Annotated[float, Field(gt=0)] | None = None
    tokens: Annotated[int, Field(gt=0)] | None = None
    """Of models, input and output together."""


class AgentSpec(Record):
    """An agent by name, with the settings it was given."""

    name: str
    """A name of the catalogue, or the path of the file that defines the agent."""
    strategy: str
    proposer: str
    settings: dict[str, int | float | str] = {}
    model: str = ""
    """The language model that writes the code; empty where none does."""
    prompts: str = ""
    """A digest of the prompts it is given."""
    replay: str = ""
    """The folder of the run whose recorded answers stand in for the model's."""

    @property
    def slug(self) -> str:
        """The agent's part of a run's name."""
        name = self.name.rsplit("/", 1)[-1].removesuffix(".py")
        model = re.sub(r"[^\w.-]+", "-", re.split(r"[/#]", self.model.rstrip("/"))[-1])
        return f"{name}-{model}" if model else name


class RunSpec(Record):
    """One agent, one task, one seed."""

    task: str
    """The task's name, or the path of its folder."""
    task_digest: str
    track: str
    agent: AgentSpec
    seed: int
    budget: Budget
    rung: Rung
    retest_seeds: Annotated[int, Field(ge=0)] = 3
    label: str = ""
    """Tells apart runs that are asked for in the same words."""

    @property
    def run_id(self) -> str:
        """A readable name that differs wherever the specification does."""
        digest = hashlib.sha256(self.model_dump_json().encode()).hexdigest()[:8]
        task = self.task.rstrip("/").rsplit("/", 1)[-1]
        return f"{task}.{self.track}.{self.agent.slug}.s{self.seed}.{digest}"
