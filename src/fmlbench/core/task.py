"""A research problem, as its folder states it."""

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field, model_validator

from fmlbench.core.metric import Metric
from fmlbench.core.record import Record
from fmlbench.core.sources import GitSource, Material, NpmSource, PathSource, PypiSource, UrlSource

SMOKE = "-smoke"
"""What the name of a track ends with when it is only tried out."""


TaskName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]*$")]
FolderName = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*$")]
Count = Annotated[int, Field(ge=1)]
Share = Annotated[float, Field(ge=0, le=1)]


class Limits(Record):
    """What one stage may use; beyond a limit it is ended and its outcome says so."""

    cpu_seconds: float
    """Of all processes of the stage together."""
    wall_seconds: float
    """A safety net far above ``cpu_seconds``: a busy machine must not turn a good step into a timeout."""
    memory_mb: int
    """Of all processes of the stage together."""
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

    name: FolderName
    """The stage, as the driver is told in `stage.json`."""
    data: tuple[FolderName, ...] = ("train",)
    """Which visible parts of a draw are mounted."""
    # Left out of a task's digest where it says nothing, so that records of tasks without such stages stay valid.
    alone: Annotated[bool, Field(exclude_if=lambda alone: not alone)] = False
    """Whether the stage sees nothing of others: its carry folder is empty at first, and `carry/NAME` at the exam."""
    limits: Limits
    """What it may use."""

    @model_validator(mode="after")
    def _sees_no_exam(self) -> "Training":
        if not set(ExamName).isdisjoint(self.data):
            raise ValueError("a training stage sees no exam: labels lie there")
        return self


class AnswerKind(StrEnum):
    """What an answer may depend on besides its own question."""

    INDEPENDENT = "independent"
    PER_EPISODE = "per-episode"
    JOINT = "joint"


class AnswerFormat(Record):
    """What an exam asks for: one array, whose row i answers question i."""

    kind: AnswerKind
    """What an answer may depend on: `independent`, `per-episode` (asked one by one) or `joint`."""
    dtype: Literal["int64", "float32"]
    """Whole numbers that fit are converted; anything else is refused."""
    shape: tuple[int, ...] = ()
    """The shape of one answer; -1 for a size the candidate chooses, up to ``max_size``."""
    max_size: int = 4096
    asked_again: Share = 0.2
    """The share of questions that is asked again, in other company, in a fresh process."""
    disagreement: Share = 0.01
    """The share of numbers in the repeated answers that may differ."""
    tolerance: float = 1e-3
    """How far two float answers may lie apart and still agree, relative to how far such answers typically spread."""


class Exam(Record):
    """The stage that answers unlabelled questions; sat for validation and for the sealed test."""

    limits: Limits
    """For one sitting."""
    answers: AnswerFormat
    """What is handed in."""


class Rule(Record):
    """A bound on a side metric, relative to the baseline on the same draw, with two standard errors' grace."""

    metric: str
    """One of the metrics that the grader writes."""
    text: str
    """The rule in words, as agents read it."""
    at_least: float | None = None
    """The lower bound."""
    at_most: float | None = None
    """The upper bound."""
    relative_to_baseline: bool = False
    """Whether the bounds are added to the baseline's value on the same draw."""

    @model_validator(mode="after")
    def _has_a_bound(self) -> "Rule":
        if self.at_least is None and self.at_most is None:
            raise ValueError("a rule needs a bound: at_least or at_most")
        return self


class Figure(Record):
    """A score over seeds: sigma, everywhere, is this standard deviation."""

    mean: float
    sd: float
    n: int
    """How many seeds."""


class Measured(Record):
    """The scores of one variant of the code on both exams."""

    validation: Figure
    test: Figure

    def on(self, exam: "ExamName") -> Figure:
        """The score on one exam."""
        return self.validation if exam is ExamName.VALIDATION else self.test


class SiblingCalibration(Record):
    """The scores on the hidden test of the sibling."""

    baseline: Figure
    method_off: Figure
    reference: Figure


class Calibration(Record):
    """What ``fmlbench tasks check --calibrate`` measured, and where."""

    baseline: Measured
    method_off: Measured
    reference: Measured
    sibling: SiblingCalibration | None = None
    """The same on the hidden test of the sibling, where the task has one."""
    step_cpu_seconds: float
    """Of training and both exams, on average."""
    peak_memory_mb: int
    """The largest of any stage."""
    machine: str
    """Where it was measured."""
    date: str
    """When."""


class Editable(Record):
    """What a candidate may change: everything these globs match, new files included."""

    globs: Annotated[tuple[str, ...], Field(min_length=1)]
    """`*` and `?` stay within one folder, `**` stands for any number of folders."""
    suggested: tuple[str, ...]
    """The files worth reading first; a subset of what the globs match."""
    information_bytes: Count = 4096
    """How much information a proposal may add to the baseline, compressed, so that weights and tables do not fit in."""


class Environment(Record):
    """The Python a task runs in: a shared environment by name, or the task's own requirements."""

    name: str
    """`numpy` and `torch` are shared."""
    requirements: str = ""
    """A requirements file in the task's folder; empty for the shared environment of that name."""


class Variant(Record):
    """A changed baseline that ships with the task: the expert reference, the method switched off, an exploit."""

    folder: str
    """Files in the task's folder, laid over the codebase as a candidate's would be."""
    idea: str
    """What it does, in a sentence."""
    citation: str = ""
    """Where the method comes from."""


class KnowledgeAttack(Record):
    """What an adversary with complete knowledge of the public data would submit; a program writes it."""

    folder: str
    """Holds `build.py`, which sees splits, labels and recipe and writes the files of a proposal."""
    idea: str
    """What it does, in a sentence."""


class Own(Record):
    """What a track does not share with the others of its task; whatever is left out is the task's."""

    folder: str = ""
    """A folder with this track's `experiment`, `grader`, `data` and `instructions.md`, as far as they differ."""
    codebase: Material | None = None
    """Another upstream repository; it comes with its own editable files and variants."""
    overlay: str | None = None
    """The folder of files that are laid over it."""
    data: tuple[Material, ...] | None = None
    """The raw data."""
    environment: Environment | None = None
    """The Python it runs in."""
    editable: Editable | None = None
    """What a candidate may change."""
    reference: Variant | None = None
    """The known better method."""
    method_off: Variant | None = None
    """The baseline without its method."""

    @model_validator(mode="after")
    def _is_whole(self) -> "Own":
        if self.codebase and not (self.editable and self.reference and self.method_off):
            raise ValueError("another codebase needs its own editable files, reference and method_off")
        return self


class Track(Record):
    """The size a task runs at."""

    threads: Count = 1
    """Thread counts change results at equal seeds, so they are pinned."""
    draws: Count = 1
    """Draws averaged into one score; more where one is too noisy."""
    settings: dict[str, int | float | str] = {}
    """What the recipe and the driver need to know, in ``stage.json``."""
    carry_mb: float = 64
    """How much may pass from training to the exam."""
    devices: tuple[str, ...] = ()
    """Device files a stage may use, as globs (GPUs)."""
    training: Annotated[tuple[Training, ...], Field(min_length=1)]
    """The training stages, in order; only the carry folder passes from one to the next."""
    exam: Exam
    """Sat for validation and for the sealed test."""
    grading: Limits = Limits(cpu_seconds=120, wall_seconds=900, memory_mb=4096)
    """What the grader and the recipe may use."""
    own: Own | None = None
    """Another codebase, other data or programs, where this track has them."""
    smoke: dict[str, int | float | str] = {}
    """Settings of a short pass on a CPU that shows that everything loads and runs: `--smoke`."""
    calibration: Calibration | None = None
    """Written by `fmlbench tasks check --calibrate`."""

    @model_validator(mode="after")
    def _names_stages_apart(self) -> "Track":
        names = [training.name for training in self.training]
        if len(set(names)) < len(names):
            raise ValueError(f"two training stages have the same name: {', '.join(names)}")
        return self


class Task(Record):
    """A research problem: everything about it that is a fact, once."""

    name: TaskName
    """Lower case, digits and hyphens; the name of the folder."""
    title: str
    """A few words."""
    question: str
    """What an agent is asked, in a sentence."""
    suites: tuple[str, ...] = ()
    """The suites it belongs to."""
    codebase: Material
    """The upstream repository."""
    overlay: str = ""
    """A folder of the task whose files are laid over the codebase; part of what an agent finds."""
    data: tuple[Material, ...] = ()
    """The raw data."""
    shared: tuple[FolderName, ...] = ()
    """Modules of the suite's `shared` folder that are laid beside `recipe.py`."""
    environment: Environment
    """The Python it runs in."""
    editable: Editable
    """What a candidate may change."""
    protected: tuple[str, ...]
    """In words: what no change to the code can reach, and why."""
    metric: Metric
    """What it is judged by."""
    rules: tuple[Rule, ...] = ()
    """Bounds on side metrics."""
    reference: Variant
    """A known better method, by which a task shows that it can be improved on."""
    method_off: Variant
    """The baseline without its method, by which a task shows that the method does something."""
    exploits: tuple[Variant, ...] = ()
    """Cheap tricks that this very problem invites; admission tries each and none may pay."""
    attacks: tuple[KnowledgeAttack, ...] = ()
    """Knowledge of the public data, carried in as code; admission builds and tries each and none may pay."""
    lab: str = ""
    """What the lab is made of, in a sentence: the data that programs see and practise on, never what is scored."""
    sibling: str = ""
    """What the sibling is made of, in a sentence: the same problem on data that the agent never sees."""
    tracks: Annotated[dict[str, Track], Field(min_length=1)]
    """By name: `cpu`, `paper`."""

    @model_validator(mode="after")
    def _knows_better_from_worse(self) -> "Task":
        if not self.metric.gain(self.metric.best, self.metric.worst) > 0:
            raise ValueError(
                f"the metric's best score must be better than its worst one; its goal is to {self.metric.goal}"
            )
        return self

    @property
    def has_relative_rules(self) -> bool:
        """Whether a rule can be judged only beside the baseline on the same draw."""
        return any(rule.relative_to_baseline for rule in self.rules)

    @property
    def megabytes(self) -> float | None:
        """What its codebase and data are to download from their first sources, if that is known of all of them."""
        firsts = [material.sources[0] for material in (self.codebase, *self.data)]
        archives = {_archive(source): source.megabytes for source in firsts if not isinstance(source, PathSource)}
        known = [megabytes for megabytes in archives.values() if megabytes is not None]
        return sum(known) if len(known) == len(archives) else None

    def on(self, track_name: str) -> "Task":
        """The task with one of its tracks alone, and that track's own facts in the place of its own."""
        track = self.find_track(track_name)
        assert track is not None, track_name  # noqa: S101 - callers ask for tracks that are there
        own = track.own or Own()
        given = {name: value for name in _OWN_FACTS if (value := getattr(own, name)) is not None}
        if own.codebase:
            given["exploits"] = ()
        return self.model_copy(update={**given, "tracks": {track_name: track.model_copy(update={"own": None})}})

    def find_track(self, name: str) -> Track | None:
        """The track of that name; `NAME-smoke` is NAME at a size for trying out."""
        track = self.tracks.get(name)
        if track is not None or not name.endswith(SMOKE):
            return track
        whole = self.tracks.get(name.removesuffix(SMOKE))
        if whole is None or not whole.smoke:
            return None
        return whole.model_copy(
            update={"settings": {**whole.settings, **whole.smoke}, "smoke": {}, "devices": (), "calibration": None}
        )


_OWN_FACTS = ("codebase", "overlay", "data", "environment", "editable", "reference", "method_off")


def _archive(source: PypiSource | NpmSource | GitSource | UrlSource) -> str:
    """What is fetched once, however many materials are in it."""
    return source.commit if isinstance(source, GitSource) else source.sha256


class World(StrEnum):
    """Which part of its universe of classes, functions or data sets a sample comes from."""

    SCORED = "scored"
    """Steps and retests."""
    LAB = "lab"
    """What programs and people see and practise on."""
    SIBLING = "sibling"
    """The transfer test."""


class ExamName(StrEnum):
    """Which exam: the one a step is scored on, or the sealed one."""

    VALIDATION = "validation"
    TEST = "test"
