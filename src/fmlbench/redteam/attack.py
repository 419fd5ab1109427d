"""The definition of an attack: a candidate that tries to get an undeserved score or to harm its host.

An attack knows everything except the machine's secret: the paths of the labels, the PID of the harness, the addresses
of sockets. So no defence can rely on hidden locations.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from fmlbench.core.evaluation import Outcome
from fmlbench.core.record import Record
from fmlbench.core.task import AnswerKind


class AttackFamily(StrEnum):
    """The goal of an attack."""

    SCORE_FORGING = "score forging"
    EVALUATOR_TAMPERING = "evaluator tampering"
    LABEL_ACCESS = "label access"
    METRIC_GAMING = "metric gaming"
    BUDGET_AND_HOST = "budget and host"


class Target(Record):
    """What an attack knows about the machine it runs on."""

    mark: str
    """Part of the name of every file that an attack leaves."""
    token: str
    """Content of a file, a process and sockets that no candidate may reach."""
    harness_pid: int
    samples: tuple[str, ...]
    """Folders with the questions and labels of this run's samples."""
    splits: str
    secret: str
    canary_folder: str
    port: int
    abstract_socket: str
    path_socket: str


@dataclass(frozen=True)
class AttackContext:
    """The input from which an attack is built."""

    task: str
    files: Mapping[str, str]
    """The baseline's editable files."""
    entries: tuple[str, ...]
    """Files in which a payload is hidden; every stage imports at least one of them."""
    reference: Mapping[str, str]
    """The files of the expert reference."""
    target: Target


@dataclass(frozen=True)
class AttackCandidate:
    """A proposal's files and idea."""

    files: Mapping[str, str]
    idea: str


BuildCandidate = Callable[[AttackContext], AttackCandidate]


@dataclass(frozen=True)
class Attack:
    """One way to cheat or to harm the host."""

    name: str
    family: AttackFamily
    tries: str
    """One sentence about what it does."""
    stopped_by: str
    """The defence against it."""
    build: BuildCandidate
    ends: frozenset[Outcome]
    """Allowed outcomes of its step; an attack without effect may end as an ordinary step."""
    shows: str = ""
    """Text that the reason or violations of its step must contain; empty if it looks like an honest candidate."""
    kinds: frozenset[AnswerKind] = frozenset(AnswerKind)
    """The kinds of exams to which it applies."""
    tasks: frozenset[str] = frozenset()
    """The tasks to which it applies; empty for all."""
    is_quick: bool = False
    """Whether it belongs to the quick subset that admission runs."""
    is_harmless: bool = False
    """Whether it may also run unsealed: it only reads, and ends by itself."""
    is_exhausting: bool = False
    """Whether it runs until a limit stops it, which takes long if limits are high."""

    def suits(self, task: str, kind: AnswerKind) -> bool:
        """Whether it applies to this task."""
        return kind in self.kinds and (not self.tasks or task in self.tasks)


@dataclass(frozen=True)
class Control:
    """An honest candidate that resembles an attack."""

    name: str
    does: str
    build: BuildCandidate
    gains: bool = False
    """Whether it must beat the baseline by more than its noise."""
