"""What an attack is: a candidate that tries to be scored for something it did not do, or to harm its host.

An attack is told everything but the machine's secret: where the labels lie, which process is the harness, where a
socket listens. A defence that only works while nobody knows where to look is none.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from fmlbench.core.evaluation import Outcome
from fmlbench.core.record import Record
from fmlbench.core.task import AnswerKind


class AttackFamily(StrEnum):
    """What an attack is after."""

    SCORE_FORGING = "score forging"
    EVALUATOR_TAMPERING = "evaluator tampering"
    LABEL_ACCESS = "label access"
    METRIC_GAMING = "metric gaming"
    BUDGET_AND_HOST = "budget and host"


class Target(Record):
    """What an attack is told about the machine it runs on."""

    mark: str
    """Whatever an attack leaves anywhere carries this in its name."""
    token: str
    """Stands in a file, in a process and behind sockets that no candidate may reach."""
    harness_pid: int
    draws: tuple[str, ...]
    """Where the questions and labels of this run's draws lie."""
    pools: str
    secret: str
    bait_folder: str
    port: int
    abstract_socket: str
    path_socket: str


@dataclass(frozen=True)
class AttackContext:
    """What an attack starts from."""

    task: str
    files: Mapping[str, str]
    """The baseline's editable files."""
    entries: tuple[str, ...]
    """Those of them that are worth hiding in: every stage imports one of them, not always the same."""
    reference: Mapping[str, str]
    """The files of the expert reference."""
    target: Target


@dataclass(frozen=True)
class AttackCandidate:
    """What is handed in: files as a proposal has them, and the idea in words."""

    files: Mapping[str, str]
    idea: str


Arm = Callable[[AttackContext], AttackCandidate]


@dataclass(frozen=True)
class Attack:
    """One way to cheat or to do harm."""

    name: str
    family: AttackFamily
    tries: str
    """What it does, in one sentence."""
    stopped_by: str
    """What keeps it from earning anything."""
    arm: Arm
    ends: frozenset[Outcome]
    """How its step may end; an attack that just fails may well end as an ordinary step."""
    shows: str = ""
    """What must stand in the reason or among the violations of its step; empty where it cannot be told from honesty."""
    kinds: frozenset[AnswerKind] = frozenset(AnswerKind)
    """The kinds of exams it makes sense in."""
    tasks: frozenset[str] = frozenset()
    """The tasks it was written for; empty for any."""
    is_quick: bool = False
    """Whether it belongs to the few that every task is tried with."""
    is_harmless: bool = False
    """Whether it may also be tried without a seal: it only reads, and ends by itself."""
    is_exhausting: bool = False
    """Whether it goes on until a limit ends it, which takes long where limits are wide."""

    def suits(self, task: str, kind: AnswerKind) -> bool:
        """Whether it makes sense on this task."""
        return kind in self.kinds and (not self.tasks or task in self.tasks)


@dataclass(frozen=True)
class Control:
    """An honest candidate that could be mistaken for an attack."""

    name: str
    does: str
    arm: Arm
    gains: bool = False
    """Whether it must beat the baseline by more than its noise."""
