"""A research problem, as its folder states it."""

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field

from fmlbench.core.metric import Metric
from fmlbench.core.record import Record
from fmlbench.core.sources import Material


class Limits(Record):
    """What one stage may use; beyond a limit it is ended and its outcome says so."""

    cpu_seconds: float
    wall_seconds: float
    """A safety net far above ``cpu_seconds``: a busy machine must not turn a good step into a timeout."""
    memory_mb: int
    disk_mb: int = 256
    """All that the stage leaves in its writable folders."""
    files: int = 2000
    """How many files and folders it may leave there."""
    processes: int = 64
    """Processes and threads alive at once."""
    scratch_mb: int = 256
    """The size of the scratch folder, /tmp and /dev/shm together; gone when the stage ends."""


class Training(Record):
    """A stage that sees visible data and leaves its model in the carry folder."""

    name: str
    data: tuple[str, ...] = ("train",)
    """Which visible parts of a draw are mounted."""
    limits: Limits


class AnswerKind(StrEnum):
    """What an answer may depend on besides its own question."""

    INDEPENDENT = "independent"
    PER_EPISODE = "per-episode"
    JOINT = "joint"


class Answers(Record):
    """What an exam asks for: one array, whose row i answers question i."""

    kind: AnswerKind
    dtype: Literal["int64", "float32"]
    shape: tuple[int, ...] = ()
    """The shape of one answer; -1 for a size the candidate chooses, up to ``max_size``."""
    max_size: int = 4096
    asked_again: float = 0.2
    """The share of questions that is asked again, in other company, in a fresh process."""
    disagreement: float = 0.01
    """The share of numbers in the repeated answers that may differ."""
    tolerance: float = 1e-3
    """How far two float answers may lie apart and still agree, relative to the spread of the answers."""


class Exam(Record):
    """The stage that answers unlabelled questions; sat for validation and for the sealed test."""

    limits: Limits
    answers: Answers


class Rule(Record):
    """A bound on a side metric, relative to the baseline on the same draw, with two standard errors' grace."""

    metric: str
    text: str
    """The rule in words, as agents read it."""
    at_least: float | None = None
    at_most: float | None = None
    relative_to_baseline: bool = False


class Figure(Record):
    """A score over seeds: sigma, everywhere, is this standard deviation."""

    mean: float
    sd: float
    n: int


class Measured(Record):
    """The scores of one variant of the code on both exams."""

    validation: Figure
    test: Figure


class Calibration(Record):
    """What ``fmlbench tasks check --calibrate`` measured, and where."""

    baseline: Measured
    method_off: Measured
    reference: Measured
    step_cpu_seconds: float
    peak_memory_mb: int
    machine: str
    date: str


class Track(Record):
    """The size a task runs at."""

    threads: int = 1
    """Thread counts change results at equal seeds, so they are pinned."""
    draws: int = 1
    """Draws averaged into one score; more where one is too noisy."""
    settings: dict[str, int | float | str] = {}
    """What the recipe and the driver need to know, in ``stage.json``."""
    carry_mb: int = 64
    devices: tuple[str, ...] = ()
    """Device files a stage may use, as globs (GPUs)."""
    training: Annotated[tuple[Training, ...], Field(min_length=1)]
    exam: Exam
    grading: Limits = Limits(cpu_seconds=120, wall_seconds=900, memory_mb=4096)
    calibration: Calibration | None = None


class Editable(Record):
    """What a candidate may change: everything these globs match, new files included."""

    globs: Annotated[tuple[str, ...], Field(min_length=1)]
    suggested: tuple[str, ...]
    """The files worth reading first; a subset of what the globs match."""
    extra_bytes: int = 200_000
    """How much text may be added to the baseline's, so that nobody smuggles in weights or tables."""


class Environment(Record):
    """The Python a task runs in: a shared environment by name, or the task's own requirements."""

    name: str
    requirements: str = ""
    """A requirements file in the task's folder; empty for the shared environment of that name."""


class Variant(Record):
    """A changed baseline that ships with the task: the expert reference, or the method switched off."""

    folder: str
    """Files in the task's folder, laid over the codebase as a candidate's would be."""
    idea: str
    citation: str = ""


class Task(Record):
    """A research problem: everything about it that is a fact, once."""

    name: Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]*$")]
    title: str
    question: str
    suites: tuple[str, ...] = ()
    codebase: Material
    overlay: str = ""
    """A folder of the task whose files are laid over the codebase; part of what an agent finds."""
    data: tuple[Material, ...] = ()
    environment: Environment
    editable: Editable
    protected: tuple[str, ...]
    """In words: what no change to the code can reach, and why."""
    metric: Metric
    rules: tuple[Rule, ...] = ()
    reference: Variant
    method_off: Variant
    tracks: dict[str, Track]


class ExamName(StrEnum):
    """Which exam: the one a step is scored on, or the sealed one."""

    VALIDATION = "validation"
    TEST = "test"
