"""What a sweep is asked to be: a study file.

name = "breadth"
suite = "core"                      # or tasks = ["fairness", "causality"]
agents = ["greedy", { name = "aide", models = ["openai/gpt-5"], settings = { drafts = 3 } }]
seeds = 5                           # 0 to 4; or a list

[budget]                            # of each run
steps = 20

[caps]                              # of the whole sweep
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
from fmlbench.models.client import resolved_name


class StudyAgent(Record):
    """An agent of a study; in a file, its name alone will do."""

    name: str
    """As `fmlbench agents` lists it."""
    models: tuple[str, ...] | None = None
    """The models it is tried with; those of the study where it does not say, `[""]` for none."""
    settings: dict[str, int | float | str] = {}
    """As `fmlbench run --set` takes them; `fmlbench agents` lists them."""


class SweepCaps(Record):
    """What a whole sweep may use."""

    dollars: Annotated[float, Field(gt=0)] | None = None
    """Spent on models by all runs together; what is in flight when the cap is reached is stopped."""
    hours: Annotated[float, Field(gt=0)] | None = None
    """Of proposing, experiments, hidden exams and retests, of all runs together, however many go on at once."""
    parallel: Annotated[int, Field(gt=0)] | None = None
    """Runs at once; as many as the engine has room for where it is left out."""


class Retry(Record):
    """What is done about failures of machines."""

    failures: Annotated[int, Field(gt=0)] = 3
    """How often in a row a run may fail without getting any further, before it is left alone."""
    pause_seconds: Annotated[float, Field(ge=0)] = 10
    """Before the second attempt; twice as long before each further one."""
    longest_pause_seconds: Annotated[float, Field(ge=0)] = 600
    """No pause is longer."""


class SlurmOptions(Record):
    """How jobs are asked of SLURM."""

    partition: str = ""
    """The site's default where it is left out."""
    time: str = ""
    """The longest that a job may take, as sbatch's `--time`; a run that is cut off goes on in another job."""
    gpus: int = 1
    """Per job, for tracks that want devices."""
    memory_mb: int | None = None
    """Per job; from the task's calibration where it is left out."""
    runs_per_job: Annotated[int, Field(gt=0)] | None = None
    """Played one after the other; enough for ten minutes where it is left out."""
    options: tuple[str, ...] = ()
    """Anything else for sbatch, such as `--account=...`."""
    python: str = ""
    """The Python on the nodes; the one that starts the sweep where it is left out."""
    poll_seconds: Annotated[float, Field(gt=0)] = 10
    """How often the queue is looked at."""


class RayOptions(Record):
    """How jobs are asked of Ray."""

    address: str = ""
    """Of a cluster that is there; without one, a cluster of this machine alone is started."""
    gpus: float = 1
    """Per run, for tracks that want devices."""
    python: str = ""
    """The Python on the nodes; the one that starts the sweep where it is left out."""


def _named(value: object) -> object:
    return {"name": value} if isinstance(value, str) else value


def _counted(value: object) -> object:
    return tuple(range(value)) if isinstance(value, int) and not isinstance(value, bool) else value


class Study(Record):
    """Tasks x agents x models x seeds, and what they may cost."""

    name: Annotated[str, Field(pattern=r"^[\w.-]+$")]
    """Names the sweep; the name of the file where it is left out."""
    suite: str = ""
    """All tasks of a suite ..."""
    tasks: tuple[str, ...] = ()
    """... or these; a folder by its path, seen from the study file."""
    agents: Annotated[tuple[Annotated[StudyAgent, BeforeValidator(_named)], ...], Field(min_length=1)]
    """Who does the research; `fmlbench agents` lists them."""
    models: Annotated[tuple[str, ...], Field(min_length=1)] = ("",)
    """For agents that do not say themselves; `""` is no model. Files are seen from the study file."""
    seeds: Annotated[tuple[int, ...], BeforeValidator(_counted), Field(min_length=1)]
    """A list, or how many."""
    track: str = "cpu"
    """The size that all tasks run at."""
    budget: Budget
    """Of each run."""
    retest: Annotated[int, Field(ge=0)] = 3
    """On how many fresh seeds the best step of a run is tested again."""
    unsealed: bool = False
    """Candidates run without a sandbox, and every score is marked."""
    label: str = ""
    """Tells the runs apart from equal ones of other studies; without one, equal runs are shared."""
    caps: SweepCaps = SweepCaps()
    """Of the whole sweep."""
    retry: Retry = Retry()
    """What is done about failures of machines."""
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
                raise ValueError(f"{what} has one of its entries twice")
        return self

    def models_of(self, agent: StudyAgent) -> tuple[str, ...]:
        """The models that an agent is tried with."""
        return self.models if agent.models is None else agent.models


def read_study(path: Path) -> Study:
    """Read a study file, or say what is wrong with it."""
    try:
        found = {"name": path.stem, **tomllib.loads(path.read_text("utf-8"))}
        study = Study.model_validate(found)
    except OSError as error:
        raise StudyInvalid(
            f"The study '{path}' cannot be read: {error.strerror}.", hint="Give the path of a study file."
        ) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise StudyInvalid(f"{path} is not valid TOML: {error}.", hint="Mend that line.") from error
    except ValidationError as error:
        raise StudyInvalid(f"{path}: {first_problem(error)}", hint="docs/study-file.md lists every field.") from error
    return _seen_from(path.parent, study)


def _seen_from(folder: Path, study: Study) -> Study:
    """The study with whole paths where it names files, so that its runs are the same wherever it is started from."""

    def lasting(models: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(resolved_name(model, folder) if model else "" for model in models)

    agents = tuple(
        agent if agent.models is None else agent.model_copy(update={"models": lasting(agent.models)})
        for agent in study.agents
    )
    tasks = tuple(str((folder / task).resolve()) if "/" in task else task for task in study.tasks)
    return study.model_copy(update={"tasks": tasks, "agents": agents, "models": lasting(study.models)})
