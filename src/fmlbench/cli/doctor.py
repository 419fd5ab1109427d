"""fmlbench doctor: check this machine."""

import os
import platform
import shutil
from pathlib import Path

import typer

from fmlbench.cli.console import show, show_json
from fmlbench.cli.dirs import find_dirs
from fmlbench.cli.options import JsonOption
from fmlbench.models.providers import Provider, all_providers
from fmlbench.reports.health import Health, MachineCheck, health_table, is_healthy
from fmlbench.sandbox.cgroups import usable_parents
from fmlbench.sandbox.environments import built_environments
from fmlbench.sandbox.isolation import how_to_seal, install_command, why_not_sealed
from fmlbench.tasks.folder import TaskFolder
from fmlbench.tasks.library import all_tasks
from fmlbench.workspace.dirs import Dirs

_ENOUGH_GB = 5.0


def doctor(as_json: JsonOption = False) -> None:
    """Check what works on this machine and what is missing.

    Prints a command that fixes each problem. Exits with 1 if something required is missing.
    """
    findings = check_machine(find_dirs())
    if as_json:
        show_json(findings)
    else:
        show(health_table(findings))
    if not is_healthy(findings):
        raise typer.Exit(1)


def check_machine(dirs: Dirs) -> list[MachineCheck]:
    """All checks of this machine, the most important first."""
    return [
        _sandbox(),
        _cgroup(),
        _program("git", Health.MISSING, "needed to store the code of every step"),
        _program("npm", Health.OPTIONAL, "needed for tasks whose data are npm packages"),
        _disk("cache", dirs.cache, "FMLBENCH_CACHE"),
        _disk("runs", dirs.runs, "FMLBENCH_RUNS"),
        _environments(dirs),
        *(_task(folder, dirs) for folder in all_tasks()),
        *(_key(provider) for provider in all_providers().values() if provider.needs_key),
        _machine(),
    ]


def _sandbox() -> MachineCheck:
    trouble = why_not_sealed()
    if trouble is None:
        return MachineCheck("sandbox", Health.WORKS, "bubblewrap isolates candidates")
    unsealed = "Until then runs work only with --unsealed, and their scores are marked UNSEALED."
    return MachineCheck("sandbox", Health.MISSING, f"{trouble}. {unsealed}", how_to_seal())


def _cgroup() -> MachineCheck:
    parents = usable_parents()
    if parents is not None:
        return MachineCheck(
            "cgroup", Health.WORKS, f"the kernel limits memory and processes (version {parents.version})"
        )
    return MachineCheck(
        "cgroup",
        Health.OPTIONAL,
        "cannot create a control group; limits are enforced by rlimits and a watchdog instead",
        "systemd-run --user --scope -p Delegate=yes fmlbench ...",
    )


def _program(name: str, otherwise: Health, purpose: str) -> MachineCheck:
    if found := shutil.which(name):
        return MachineCheck(name, Health.WORKS, found)
    return MachineCheck(name, otherwise, f"not found; {purpose}", install_command(name))


def _disk(what: str, folder: Path, variable: str) -> MachineCheck:
    existing = next(path for path in (folder, *folder.parents) if path.exists())
    fix = f"export {variable}=/path/to/folder"
    if not os.access(existing, os.W_OK | os.X_OK):
        return MachineCheck(what, Health.MISSING, f"{folder} is not writable", fix)
    free = shutil.disk_usage(existing).free / 1e9
    if free < _ENOUGH_GB:
        return MachineCheck(
            what, Health.OPTIONAL, f"{folder}: only {free:.1f} GB free, {_ENOUGH_GB:.0f} GB advised", fix
        )
    return MachineCheck(what, Health.WORKS, f"{folder}, {free:.0f} GB free")


def _environments(dirs: Dirs) -> MachineCheck:
    if found := built_environments(dirs):
        return MachineCheck("Pythons", Health.WORKS, f"built: {', '.join(found)}")
    return MachineCheck("Pythons", Health.LATER, "none built yet; built when a task is prepared")


def _task(folder: TaskFolder, dirs: Dirs) -> MachineCheck:
    name = folder.task.name
    ready = [track for track in folder.task.tracks if _is_prepared(folder, track, dirs)]
    if ready:
        return MachineCheck(name, Health.WORKS, f"prepared: track {', '.join(ready)}")
    return MachineCheck(name, Health.LATER, "not prepared yet; first run prepares it", f"fmlbench tasks prepare {name}")


def _is_prepared(folder: TaskFolder, track: str, dirs: Dirs) -> bool:
    """Data splits are built last, so they exist only if everything else does."""
    return any(dirs.splits.glob(f"{folder.task.name}-{track}-{folder.on(track).digest[:12]}*"))


def _key(provider: Provider) -> MachineCheck:
    """Check only whether the key is set."""
    name = provider.keys[0]
    if provider.key_in(os.environ):
        return MachineCheck(name, Health.WORKS, f"set; test it with 'fmlbench models test {provider.name}/MODEL'")
    return MachineCheck(name, Health.OPTIONAL, "not set; needed only for models of this provider")


def _machine() -> MachineCheck:
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    system = f"Python {platform.python_version()}, {platform.system()} {platform.release()}"
    return MachineCheck("machine", Health.WORKS, f"{system}, {os.cpu_count() or 1} cores, {memory:.1f} GB memory")
