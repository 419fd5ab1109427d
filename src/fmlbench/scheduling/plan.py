"""Plan the runs of a study: specification, folder, resources and estimated cost."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

from fmlbench.agents.registry import agent_spec
from fmlbench.core.errors import StudyInvalid
from fmlbench.core.run import AgentSpec, Isolation, RunSpec
from fmlbench.core.task import Task, Track
from fmlbench.records.folder import RunFolder
from fmlbench.scheduling.cost import Cost, cost_of
from fmlbench.scheduling.study import Study
from fmlbench.tasks.folder import TaskFolder
from fmlbench.tasks.library import all_tasks, find_task, name_of

_SPARE_MEMORY_MB = 512
"""For the harness, and for candidates that need more than the baseline."""


@dataclass(frozen=True)
class Needs:
    """The resources of a run."""

    threads: int
    memory_mb: int
    wants_gpu: bool


@dataclass(frozen=True)
class PlannedRun:
    """One run of a study."""

    spec: RunSpec
    folder: RunFolder
    task: Task
    needs: Needs
    cost: Cost


@dataclass(frozen=True)
class Plan:
    """All runs of a study in starting order: seed by seed, so that partial results cover all agents."""

    study: Study
    runs: Sequence[PlannedRun]

    @property
    def dollars(self) -> float | None:
        """Upper bound of the total cost; None if unknown."""
        known = [run.cost.dollars for run in self.runs if run.cost.dollars is not None]
        total = sum(known) if len(known) == len(self.runs) else None
        cap = self.study.caps.dollars
        return cap if total is None else min(total, cap or total)

    @property
    def uncalibrated(self) -> Sequence[str]:
        """Tasks without a calibration."""
        return sorted({run.task.name for run in self.runs if run.cost.seconds is None})


def make_plan(study: Study, runs: Path) -> Plan:
    """Plan a study; writes nothing."""
    agents = [
        agent_spec(agent.name, {key: str(value) for key, value in agent.settings.items()}, model)
        for agent in study.agents
        for model in study.models_of(agent)
    ]
    folders = all_tasks(study.suite) if study.suite else [find_task(name) for name in study.tasks]
    named = [(name_of(folder), folder.on(study.track, smoke=study.smoke)) for folder in folders]
    planned = list(_runs(study, named, agents, runs))
    if len({run.folder for run in planned}) < len(planned):
        raise StudyInvalid(
            f"Study '{study.name}' contains the same run twice.",
            hint="Remove the duplicate agent or task.",
        )
    return Plan(study=study, runs=planned)


def require_model_for_caps(plan: Plan) -> None:
    """Refuse a cap in dollars or tokens if no agent uses a model."""
    budget = plan.study.budget
    if (budget.dollars or budget.tokens) and not any(run.spec.agent.model for run in plan.runs):
        raise StudyInvalid(
            f"A cap in dollars or tokens needs a model, but no agent of study '{plan.study.name}' has one.",
            hint="Name models, or leave the cap out of the budget.",
        )


def lay_out(plan: Plan) -> None:
    """Create the missing run folders."""
    for run in plan.runs:
        run.folder.make(run.spec)


def _runs(
    study: Study, tasks: Sequence[tuple[str, TaskFolder]], agents: Sequence[AgentSpec], runs: Path
) -> Iterator[PlannedRun]:
    seen: set[tuple[str, int]] = set()
    for seed, (name, folder), agent in product(study.seeds, tasks, agents):
        spec = RunSpec(
            task=name,
            task_digest=folder.digest,
            track=study.track,
            smoke=study.smoke,
            agent=agent,
            seed=seed,
            budget=study.budget,
            isolation=Isolation.NONE if study.unsealed else Isolation.BUBBLEWRAP,
            retest_seeds=study.retest,
            label=study.label,
        )
        cost = cost_of(spec, folder.task, is_first=(name, seed) not in seen)
        seen.add((name, seed))
        needs = needs_of(folder.track(study.track, smoke=study.smoke))
        yield PlannedRun(spec, RunFolder(runs / spec.run_id), folder.task, needs, cost)


def needs_of(track: Track) -> Needs:
    """The resources of a run on a track: as calibrated, otherwise the limits."""
    stages = [*(stage.limits for stage in track.training), track.exam.limits]
    peak = track.calibration.peak_memory_mb if track.calibration else max(stage.memory_mb for stage in stages)
    return Needs(threads=track.threads, memory_mb=peak + _SPARE_MEMORY_MB, wants_gpu=bool(track.devices))
