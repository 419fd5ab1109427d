"""The study file of a sweep.

name = "breadth"
suite = "core"                      # or tasks = ["fairness", "causality"]
agents = ["greedy", { name = "aide", models = ["openai/gpt-5"], settings = { drafts = 3 } }]
seeds = 5                           # 0 to 4; or a list

[budget]                            # per run
steps = 20

[caps]                              # for the whole sweep
dollars = 100
parallel = 8
"""

import tomllib
from pathlib import Path
from typing import Annotated

from pydantic import BeforeValidator, Field, ValidationError, model_validator

from fmlbench.core.errors import StudyInvalid
from fmlbench.core.record import Record, first_problem
from fmlbench.core.run import Budget
from fmlbench.models.connection import resolved_name


class StudyAgent(Record):
    """An agent of a study; in a file, a plain name is enough."""

    name: str
    """Name of the agent; `fmlbench agents` lists them."""
    models: tuple[str, ...] | None = None
    """Its models; default: those of the study. `[""]` means no model."""
    settings: dict[str, int | float | str] = {}
    """As in `fmlbench run --set`; `fmlbench agents` lists them."""


class SweepCaps(Record):
    """Limits of the whole sweep."""

    dollars: Annotated[float, Field(gt=0)] | None = None
    """Total cost of model calls. When it is reached, running runs are stopped."""
    hours: Annotated[float, Field(gt=0)] | None = None
    """Total execution time of all runs: proposing, experiments, hidden exams and retests."""
    parallel: Annotated[int, Field(gt=0)] | None = None
    """Number of parallel runs; default: as many as the engine has room for."""


class Retry(Record):
    """Retries after infrastructure failures."""

    failures: Annotated[int, Field(gt=0)] = 3
    """Number of consecutive failures without progress after which a run is given up."""
    pause_seconds: Annotated[float, Field(ge=0)] = 10
    """Pause before the second attempt; doubled before each further one."""
    longest_pause_seconds: Annotated[float, Field(ge=0)] = 600
    """Longest pause."""


class SlurmOptions(Record):
    """Options of SLURM jobs."""

    partition: str = ""
    """Default: the site's default."""
    time: str = ""
    """Time limit of a job, as sbatch's `--time`; an interrupted run continues in another job."""
    gpus: int = 1
    """Per job, for tracks that use GPUs."""
    memory_mb: int | None = None
    """Per job; default: from the task's calibration."""
    runs_per_job: Annotated[int, Field(gt=0)] | None = None
    """Executed sequentially; default: enough for ten minutes."""
    options: tuple[str, ...] = ()
    """Other options for sbatch, such as `--account=...`."""
    python: str = ""
    """The Python on the nodes; default: the one that starts the sweep."""
    poll_seconds: Annotated[float, Field(gt=0)] = 10
    """Interval at which the queue is polled."""


class RayOptions(Record):
    """Options of the Ray engine."""

    address: str = ""
    """Address of an existing cluster; default: start a cluster on this machine."""
    gpus: float = 1
    """Per run, for tracks that use GPUs."""
    python: str = ""
    """The Python on the nodes; default: the one that starts the sweep."""


def _named(value: object) -> object:
    return {"name": value} if isinstance(value, str) else value


def _counted(value: object) -> object:
    return tuple(range(value)) if isinstance(value, int) and not isinstance(value, bool) else value


class Study(Record):
    """Tasks x agents x models x seeds, with their budgets."""

    name: Annotated[str, Field(pattern=r"^[\w.-]+$")]
    """Name of the sweep; default: the name of the file."""
    suite: str = ""
    """Include all tasks of this suite ..."""
    tasks: tuple[str, ...] = ()
    """... or these tasks; paths of task folders are relative to the study file."""
    agents: Annotated[tuple[Annotated[StudyAgent, BeforeValidator(_named)], ...], Field(min_length=1)]
    """The agents; `fmlbench agents` lists them."""
    models: Annotated[tuple[str, ...], Field(min_length=1)] = ("",)
    """Models for agents without their own; `""` means no model. Paths are relative to the study file."""
    seeds: Annotated[tuple[int, ...], BeforeValidator(_counted), Field(min_length=1)]
    """A list, or a number of seeds."""
    track: str = "cpu"
    """The track of all tasks."""
    smoke: bool = False
    """Whether to run the smoke tests of the tracks."""
    budget: Budget
    """Per run."""
    retest: Annotated[int, Field(ge=0)] = 3
    """Number of fresh seeds on which the best step of a run is retested."""
    unsealed: bool = False
    """Run candidates without a sandbox; every score is marked UNSEALED."""
    label: str = ""
    """Suffix of the run names. Without a label, identical runs are shared with other studies."""
    caps: SweepCaps = SweepCaps()
    """Limits of the whole sweep."""
    retry: Retry = Retry()
    """Retries after infrastructure failures."""
    ray: RayOptions = RayOptions()
    """For `--engine ray`."""
    slurm: SlurmOptions = SlurmOptions()
    """For `--engine slurm`."""

    @model_validator(mode="after")
    def _has_tasks(self) -> "Study":
        if bool(self.suite) == bool(self.tasks):
            raise ValueError("give either a suite or tasks")
        for what, values in (("tasks", self.tasks), ("seeds", self.seeds), ("models", self.models)):
            if len(set(values)) < len(values):
                raise ValueError(f"{what} contains an entry twice")
        return self

    def models_of(self, agent: StudyAgent) -> tuple[str, ...]:
        """The models of an agent."""
        return self.models if agent.models is None else agent.models


def read_study(path: Path) -> Study:
    """Read and validate a study file."""
    try:
        found = {"name": path.stem, **tomllib.loads(path.read_text("utf-8"))}
        study = Study.model_validate(found)
    except OSError as error:
        raise StudyInvalid(
            f"The study '{path}' cannot be read: {error.strerror}.", hint="Give the path of a study file."
        ) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise StudyInvalid(f"{path} is not valid TOML: {error}.", hint="Fix that line.") from error
    except ValidationError as error:
        raise StudyInvalid(f"{path}: {first_problem(error)}", hint="docs/study-file.md lists every field.") from error
    return _with_absolute_paths(path.parent, study)


def _with_absolute_paths(folder: Path, study: Study) -> Study:
    """The study with absolute paths, so that its runs do not depend on the working directory."""

    def resolved(models: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(resolved_name(model, folder) if model else "" for model in models)

    agents = tuple(
        agent if agent.models is None else agent.model_copy(update={"models": resolved(agent.models)})
        for agent in study.agents
    )
    tasks = tuple(str((folder / task).resolve()) if "/" in task else task for task in study.tasks)
    return study.model_copy(update={"tasks": tasks, "agents": agents, "models": resolved(study.models)})
