"""The manifest of a task (task.toml)."""

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field, model_validator

from fmlbench.core.evaluation import Metric
from fmlbench.core.record import Record
from fmlbench.core.sources import Edit, GitSource, Material, NpmSource, PathSource, PypiSource, UrlSource

TaskName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]*$")]
FolderName = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*$")]
Count = Annotated[int, Field(ge=1)]
Share = Annotated[float, Field(ge=0, le=1)]


class Limits(Record):
    """What one stage may use; a stage that exceeds a limit is killed and its outcome names the limit."""

    cpu_seconds: float
    """Of all processes of the stage together."""
    wall_seconds: float
    """Far above ``cpu_seconds``, so that a busy machine does not turn a good step into a timeout."""
    memory_mb: int
    """Of all processes of the stage together."""
    disk_mb: int = 256
    """The total size of the stage's writable folders."""
    files: int = 2000
    """The number of files and folders in its writable folders."""
    processes: int = 64
    """Processes and threads alive at once."""
    scratch_mb: int = 256
    """The size of the scratch folder, /tmp and /dev/shm together; deleted when the stage ends."""


class Training(Record):
    """A stage that reads visible data and writes its model to the carry folder."""

    name: FolderName
    """The name of the stage; the driver reads it from `stage.json`."""
    data: tuple[FolderName, ...] = ("train",)
    """Which visible parts of a sample are mounted."""
    # Excluded from the task digest when False, so that records of tasks without such stages stay valid.
    alone: Annotated[bool, Field(exclude_if=lambda alone: not alone)] = False
    """Whether the stage runs without the output of other stages: it starts with an empty carry folder, which the exam
    sees as `carry/NAME`."""
    limits: Limits
    """Its resource limits."""

    @model_validator(mode="after")
    def _sees_no_exam(self) -> "Training":
        if not set(ExamName).isdisjoint(self.data):
            raise ValueError("a training stage must not mount an exam: exam folders contain labels")
        return self


class AnswerKind(StrEnum):
    """What an answer may depend on besides its question."""

    INDEPENDENT = "independent"
    PER_EPISODE = "per-episode"
    JOINT = "joint"


class AnswerFormat(Record):
    """The format of an exam's answers: one array, whose row i answers question i."""

    kind: AnswerKind
    """What an answer may depend on: `independent`, `per-episode` (questions are sent one by one) or `joint`."""
    dtype: Literal["int64", "float32"]
    """Integers that fit are converted; other types are rejected."""
    shape: tuple[int, ...] = ()
    """The shape of one answer; -1 for a size that the candidate chooses, up to ``max_size``."""
    max_size: int = 4096
    asked_again: Share = 0.2
    """The share of questions that is asked again in a different batch, in a new process."""
    disagreement: Share = 0.01
    """The share of numbers in the repeated answers that may differ."""
    tolerance: float = 1e-3
    """The largest difference at which two float answers count as equal, relative to the typical spread of answers."""


class Exam(Record):
    """The stage that answers unlabelled questions, for validation and for the hidden test."""

    limits: Limits
    """For one exam pass."""
    answers: AnswerFormat
    """The format of the answers."""


class Rule(Record):
    """A bound on a side metric, with a tolerance of two standard errors."""

    metric: str
    """One of the grader's metrics."""
    text: str
    """The rule as text for agents."""
    at_least: float | None = None
    """The lower bound."""
    at_most: float | None = None
    """The upper bound."""
    relative_to_baseline: bool = False
    """Whether the bounds are added to the baseline's value on the same sample."""

    @model_validator(mode="after")
    def _has_a_bound(self) -> "Rule":
        if self.at_least is None and self.at_most is None:
            raise ValueError("a rule needs a bound: at_least or at_most")
        return self


class Figure(Record):
    """A score over seeds; ``sigma`` always means this standard deviation."""

    mean: float
    sd: float
    n: int
    """Number of seeds."""


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
    """The measurements of ``fmlbench tasks check --calibrate``."""

    baseline: Measured
    method_off: Measured
    reference: Measured
    sibling: SiblingCalibration | None = None
    """The same on the hidden test of the sibling, if the task has one."""
    step_cpu_seconds: float
    """Average CPU time of training and both exams."""
    peak_memory_mb: int
    """The maximum over all stages."""
    machine: str
    """The machine of the measurement."""
    date: str
    """The date of the measurement."""


class Editable(Record):
    """The files that a candidate may change or add: everything that the globs match."""

    globs: Annotated[tuple[str, ...], Field(min_length=1)]
    """`*` and `?` match within one folder, `**` matches any number of folders."""
    suggested: tuple[str, ...]
    """The files to read first; a subset of what the globs match."""
    information_bytes: Count = 4096
    """Compressed size of what a proposal may add to the baseline, too small for weights or tables of labels."""


class Environment(Record):
    """The Python environment of a task: a shared one by name, or the task's requirements file."""

    name: str
    """`numpy` and `torch` are shared environments."""
    requirements: str = ""
    """A requirements file in the task's folder; empty for the shared environment of that name."""


class Variant(Record):
    """A changed baseline that ships with the task: the expert reference, the ablation, or an exploit."""

    name: str = ""
    """The name of an exploit; by default the last part of its folder."""
    folder: str = ""
    """Whole files in the task's folder that replace those of the codebase, like a candidate's files."""
    edits: tuple[Edit, ...] = ()
    """Changes of a few lines; applied in order to the baseline's files, after those of the folder."""
    idea: str
    """One sentence about what it does."""
    citation: str = ""
    """The source of the method."""

    @model_validator(mode="after")
    def _has_changes(self) -> "Variant":
        if not (self.folder or self.edits):
            raise ValueError("a variant needs a folder or edits")
        return self

    @property
    def label(self) -> str:
        """Its name, or the last part of its folder."""
        return self.name or self.folder.rpartition("/")[2]


class KnowledgeAttack(Record):
    """A proposal that an adversary with complete knowledge of the public data would submit; a program writes it."""

    folder: str
    """Contains `build.py`, which reads splits, labels and dataset builder and writes the files of a proposal."""
    idea: str
    """One sentence about what it does."""


class Track(Record):
    """The size a task runs at."""

    threads: Count = 1
    """Fixed, because the number of threads changes results at equal seeds."""
    samples: Count = 1
    """Number of data samples averaged into one score; more if a single one is too noisy."""
    settings: dict[str, int | float | str] = {}
    """Settings of the dataset builder and the driver, in ``stage.json``."""
    carry_mb: float = 64
    """The maximum size of the carry folder, which passes from training to the exam."""
    devices: tuple[str, ...] = ()
    """Globs of the device files that a stage may use (GPUs)."""
    training: Annotated[tuple[Training, ...], Field(min_length=1)]
    """The training stages in order; only the carry folder passes from one to the next."""
    exam: Exam
    """Runs for validation and for the hidden test."""
    grading: Limits = Limits(cpu_seconds=120, wall_seconds=900, memory_mb=4096)
    """Limits of the grader and the dataset builder."""
    smoke: dict[str, int | float | str] = {}
    """Settings of a short run on a CPU that checks that everything loads and runs: `--smoke`."""
    calibration: Calibration | None = None
    """Written by `fmlbench tasks check --calibrate`."""

    def smoke_test(self) -> "Track":
        """The track with its smoke-test settings, on a CPU; the smoke test of a smoke test is itself."""
        return self.model_copy(update={"settings": {**self.settings, **self.smoke}, "devices": (), "calibration": None})

    @model_validator(mode="after")
    def _has_unique_stage_names(self) -> "Track":
        names = [training.name for training in self.training]
        if len(set(names)) < len(names):
            raise ValueError(f"two training stages have the same name: {', '.join(names)}")
        return self


class Task(Record):
    """A research problem."""

    name: TaskName
    """Lower case, digits and hyphens; the name of the folder."""
    extends: str = ""
    """The folder of another task, such as `../fairness`, which provides all fields and programs that this one lacks."""
    title: str
    """A few words."""
    question: str
    """The research question, in one sentence."""
    suites: tuple[str, ...] = ()
    """The suites it belongs to."""
    codebase: Material
    """The upstream repository."""
    overlay: str = ""
    """A folder of the task whose files are copied over the codebase; agents see the result."""
    data: tuple[Material, ...] = ()
    """The raw data."""
    shared: tuple[FolderName, ...] = ()
    """Modules of the suite's `shared` folder that are placed next to `recipe.py`."""
    environment: Environment
    """The Python environment."""
    editable: Editable
    """The files that a candidate may change."""
    protected: tuple[str, ...]
    """As text: what changes to the code cannot reach, and why."""
    metric: Metric
    """The metric of the score."""
    rules: tuple[Rule, ...] = ()
    """Bounds on side metrics."""
    reference: Variant
    """A known better method; shows that the task can be improved on."""
    method_off: Variant
    """The ablation: the baseline with its method switched off; shows that the method has an effect."""
    exploits: tuple[Variant, ...] = ()
    """Cheap tricks for this task; admission tries each of them, and none may improve the score."""
    attacks: tuple[KnowledgeAttack, ...] = ()
    """Knowledge of the public data, written as code; admission builds and tries each, none may improve the score."""
    lab: str = ""
    """One sentence about the lab data, which programs see and practise on; it is never scored."""
    sibling: str = ""
    """One sentence about the sibling: the same problem on data that the agent never sees."""
    tracks: Annotated[dict[str, Track], Field(min_length=1)]
    """By name; `cpu` runs on a laptop."""

    @model_validator(mode="after")
    def _has_ordered_anchors(self) -> "Task":
        if not self.metric.gain(self.metric.best, self.metric.worst) > 0:
            raise ValueError(
                f"the metric's best score must be better than its worst one; its goal is to {self.metric.goal}"
            )
        return self

    @model_validator(mode="after")
    def _has_distinct_exploits(self) -> "Task":
        labels = [exploit.label for exploit in self.exploits]
        if "" in labels or len(set(labels)) < len(labels):
            raise ValueError("every exploit needs a name of its own, or a folder")
        return self

    @property
    def has_relative_rules(self) -> bool:
        """Whether a rule needs the baseline's metrics on the same sample."""
        return any(rule.relative_to_baseline for rule in self.rules)

    @property
    def megabytes(self) -> float | None:
        """Download size of codebase and data from their first sources; None if any size is unknown."""
        firsts = [material.sources[0] for material in (self.codebase, *self.data)]
        archives = {_archive(source): source.megabytes for source in firsts if not isinstance(source, PathSource)}
        known = [megabytes for megabytes in archives.values() if megabytes is not None]
        return sum(known) if len(known) == len(archives) else None

    def on(self, track_name: str, *, smoke: bool = False) -> "Task":
        """The task with only this track, or only its smoke test."""
        track = self.track(track_name, smoke=smoke)
        assert track is not None, track_name  # noqa: S101 - callers pass existing tracks
        return self.model_copy(update={"tracks": {track_name: track}})

    def track(self, name: str, *, smoke: bool = False) -> Track | None:
        """The track with that name, or its smoke test; None if there is none."""
        track = self.tracks.get(name)
        if track is None or not smoke:
            return track
        return track.smoke_test() if track.smoke else None


def track_text(name: str, *, smoke: bool) -> str:
    """The track of a run as text: scores of smoke tests are never compared with others."""
    return f"{name}-smoke" if smoke else name


def _archive(source: PypiSource | NpmSource | GitSource | UrlSource) -> str:
    """The key of a download that several materials may share."""
    return source.commit if isinstance(source, GitSource) else source.sha256


class World(StrEnum):
    """Which part of the task's classes, functions or data sets a sample comes from."""

    SCORED = "scored"
    """For steps and retests."""
    LAB = "lab"
    """Visible to programs and people for practice."""
    SIBLING = "sibling"
    """For the transfer test."""


class ExamName(StrEnum):
    """The exam that scores a step, or the hidden test."""

    VALIDATION = "validation"
    TEST = "test"
