"""Check this machine: what works, what is missing, and how to fix it."""

import os
import platform
import shutil
from pathlib import Path

from fmlbench.models.providers.catalogue import PROVIDERS, Provider
from fmlbench.reports.health import Health, Symptom
from fmlbench.sandbox.cgroups import usable_homes
from fmlbench.sandbox.environments import built_environments
from fmlbench.sandbox.isolation import how_to_seal, install_command, why_not_sealed
from fmlbench.tasks.folder import TaskFolder
from fmlbench.tasks.library import all_tasks
from fmlbench.workspace.dirs import Dirs

_ENOUGH_GB = 5.0


def examine(dirs: Dirs) -> list[Symptom]:
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
        *(_key(provider) for provider in PROVIDERS.values() if provider.needs_key),
        _machine(),
    ]


def _sandbox() -> Symptom:
    trouble = why_not_sealed()
    if trouble is None:
        return Symptom("sandbox", Health.WORKS, "bubblewrap isolates candidates")
    unsealed = "Until then runs work only with --unsealed, and their scores are marked UNSEALED."
    return Symptom("sandbox", Health.MISSING, f"{trouble}. {unsealed}", how_to_seal())


def _cgroup() -> Symptom:
    homes = usable_homes()
    if homes is not None:
        return Symptom("cgroup", Health.WORKS, f"the kernel limits memory and processes (version {homes.version})")
    return Symptom(
        "cgroup",
        Health.OPTIONAL,
        "cannot create a control group; limits are enforced by rlimits and a watchdog instead",
        "systemd-run --user --scope -p Delegate=yes fmlbench ...",
    )


def _program(name: str, otherwise: Health, purpose: str) -> Symptom:
    if found := shutil.which(name):
        return Symptom(name, Health.WORKS, found)
    return Symptom(name, otherwise, f"not found; {purpose}", install_command(name))


def _disk(what: str, folder: Path, variable: str) -> Symptom:
    existing = next(path for path in (folder, *folder.parents) if path.exists())
    fix = f"export {variable}=/path/to/folder"
    if not os.access(existing, os.W_OK | os.X_OK):
        return Symptom(what, Health.MISSING, f"{folder} is not writable", fix)
    free = shutil.disk_usage(existing).free / 1e9
    if free < _ENOUGH_GB:
        return Symptom(what, Health.OPTIONAL, f"{folder}: only {free:.1f} GB free, {_ENOUGH_GB:.0f} GB advised", fix)
    return Symptom(what, Health.WORKS, f"{folder}, {free:.0f} GB free")


def _environments(dirs: Dirs) -> Symptom:
    if found := built_environments(dirs):
        return Symptom("Pythons", Health.WORKS, f"built: {', '.join(found)}")
    return Symptom("Pythons", Health.LATER, "none built yet; built when a task is prepared")


def _task(folder: TaskFolder, dirs: Dirs) -> Symptom:
    name = folder.task.name
    ready = [track for track in folder.task.tracks if _is_prepared(folder, track, dirs)]
    if ready:
        return Symptom(name, Health.WORKS, f"prepared: track {', '.join(ready)}")
    return Symptom(name, Health.LATER, "not prepared yet; the first run prepares it", f"fmlbench tasks prepare {name}")


def _is_prepared(folder: TaskFolder, track: str, dirs: Dirs) -> bool:
    """Data splits are built last, so they exist only if everything else does."""
    return any(dirs.pools.glob(f"{folder.task.name}-{track}-{folder.on(track).digest[:12]}*"))


def _key(provider: Provider) -> Symptom:
    """Check only whether the key is set."""
    name = provider.keys[0]
    if provider.key_in(os.environ):
        return Symptom(name, Health.WORKS, f"set; test it with 'fmlbench models test {provider.name}/MODEL'")
    return Symptom(name, Health.OPTIONAL, "not set; needed only for models of this provider")


def _machine() -> Symptom:
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    system = f"Python {platform.python_version()}, {platform.system()} {platform.release()}"
    return Symptom("machine", Health.WORKS, f"{system}, {os.cpu_count() or 1} cores, {memory:.1f} GB memory")
