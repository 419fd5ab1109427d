"""Open an engine by name."""

from collections.abc import Callable
from pathlib import Path

from fmlbench.core.errors import BadRequest
from fmlbench.scheduling.engines.engine import Engine
from fmlbench.scheduling.job import JobRunner
from fmlbench.scheduling.plan import Plan


def open_engine(name: str, plan: Plan, cache: Path) -> Engine:
    """Open the engine of that name for a plan."""
    if name not in ENGINES:
        raise BadRequest(f"There is no engine named '{name}'.", hint=f"Engines: {', '.join(ENGINES)}.")
    return ENGINES[name](plan, cache)


def _local(plan: Plan, cache: Path) -> Engine:
    from fmlbench.scheduling.engines.local import Local, this_machine  # noqa: PLC0415

    machine = this_machine()
    workers = plan.study.caps.parallel or machine.workers([run.needs for run in plan.runs])
    return Local(JobRunner(cache=cache), workers, machine)


def _ray(plan: Plan, cache: Path) -> Engine:
    from fmlbench.scheduling.engines.ray_cluster import open_ray  # noqa: PLC0415

    return open_ray(plan.study, cache)


def _slurm(plan: Plan, cache: Path) -> Engine:
    from fmlbench.scheduling.engines.slurm import open_slurm  # noqa: PLC0415

    return open_slurm(plan, cache)


ENGINES: dict[str, Callable[[Plan, Path], Engine]] = {"local": _local, "ray": _ray, "slurm": _slurm}
