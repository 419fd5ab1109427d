"""Prepare a task on this machine, once: codebase, data, environment, splits."""

import shutil
from pathlib import Path

from fmlbench.core.errors import TaskInvalid
from fmlbench.core.progress import Progress
from fmlbench.experiment.prepared_task import PreparedTask
from fmlbench.experiment.samples import DatasetBuilder, make_splits
from fmlbench.experiment.secret import Secret, machine_secret
from fmlbench.sandbox.environments import build
from fmlbench.sandbox.protocol import Sandbox
from fmlbench.tasks.folder import TaskFolder
from fmlbench.workspace.digests import digest_of
from fmlbench.workspace.dirs import Dirs
from fmlbench.workspace.files import exclusive, replace_folder, scratch_beside
from fmlbench.workspace.materials import is_intact, obtain
from fmlbench.workspace.trees import editable_files, matches


def prepare(
    folder: TaskFolder,
    track_name: str,
    *,
    smoke: bool = False,
    dirs: Dirs,
    sandbox: Sandbox,
    progress: Progress,
    secret: Secret | None = None,
) -> PreparedTask:
    """Fetch and build everything a task needs; cached, so later calls are fast and work offline.

    Samples are derived from ``secret``, by default the machine's.
    """
    folder = folder.on(track_name, smoke=smoke)
    track, task = folder.track(track_name, smoke=smoke), folder.task
    python = build(task.environment, task_folder=folder.path, dirs=dirs, progress=progress)
    codebase = _codebase(folder, dirs, progress)
    _require_editable(folder, codebase)
    raw = {item.name: obtain(item, task_folder=folder.path, dirs=dirs, progress=progress) for item in task.data}
    secret = secret or machine_secret(dirs.cache)
    key = f"{task.name}-{track_name}-{folder.digest[:12]}-{secret.fingerprint}"
    splits = dirs.splits / key
    if not splits.exists():
        progress.start(f"{task.name}: splits")
        make_splits(DatasetBuilder(folder, track, python, sandbox), raw, splits, secret)
        progress.finish()
    return PreparedTask(
        folder=folder,
        track_name=track_name,
        codebase=codebase,
        python=python,
        raw=tuple(raw.values()),
        splits=splits,
        samples=dirs.samples / key,
        sandbox=sandbox,
        secret=secret,
        smoke=smoke,
    )


def _require_editable(folder: TaskFolder, codebase: Path) -> None:
    """The suggested files must exist and be editable, because agents start with them."""
    editable = folder.task.editable
    files = editable_files(codebase, editable)
    absent = [name for name in editable.suggested if not any(matches(path, [name]) for path in files)]
    if absent or not files:
        problem = f"suggests '{absent[0]}', which is not an editable file" if absent else "has no editable files"
        raise TaskInvalid(
            f"Task '{folder.task.name}' {problem}.",
            hint=f"Fix [editable] in {folder.path / 'task.toml'}; its globs are {', '.join(editable.globs)}.",
        )


def _codebase(folder: TaskFolder, dirs: Dirs, progress: Progress) -> Path:
    """The repository that agents start with: upstream with patches and the task's overlay."""
    upstream = obtain(folder.task.codebase, task_folder=folder.path, dirs=dirs, progress=progress)
    if not folder.task.overlay:
        return upstream
    repository = dirs.materials / f"{folder.task.name}-repository-{folder.digest[:12]}"
    with exclusive(repository):
        if not repository.exists():
            with scratch_beside(repository) as scratch:
                replace_folder(_overlaid(upstream, folder, scratch), repository)
    return repository


def _overlaid(upstream: Path, folder: TaskFolder, scratch: Path) -> Path:
    combined = scratch / "combined"
    shutil.copytree(upstream, combined, copy_function=shutil.copyfile)
    shutil.copytree(folder.path / folder.task.overlay, combined, dirs_exist_ok=True)
    return combined


def find_changed(prepared: PreparedTask, dirs: Dirs, progress: Progress) -> list[str]:
    """The names of a task's codebase and data whose cached files no longer match their source."""
    folder, task = prepared.folder, prepared.task
    changed = [
        item.name
        for item in (task.codebase, *task.data)
        if not is_intact(item, task_folder=folder.path, dirs=dirs, progress=progress)
    ]
    if changed or not task.overlay:
        return changed
    upstream = obtain(task.codebase, task_folder=folder.path, dirs=dirs, progress=progress)
    with exclusive(prepared.codebase), scratch_beside(prepared.codebase) as scratch:
        is_same = digest_of(_overlaid(upstream, folder, scratch)) == digest_of(prepared.codebase)
    return [] if is_same else [f"{task.codebase.name} with {task.overlay}"]
