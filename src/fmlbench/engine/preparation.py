"""Make a task ready on this machine, once: codebase, data, environment, pools."""

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
from fmlbench.workspace.globs import matches
from fmlbench.workspace.materials import is_intact, obtain
from fmlbench.workspace.trees import editable_files


def prepare(
    folder: TaskFolder,
    track_name: str,
    *,
    dirs: Dirs,
    sandbox: Sandbox,
    progress: Progress,
    secret: Secret | None = None,
) -> PreparedTask:
    """Get everything a task needs; quick and offline once it is there. Draws come from the machine's own secret."""
    folder = folder.on(track_name)
    track, task = folder.track(track_name), folder.task
    python = build(task.environment, task_folder=folder.path, dirs=dirs, progress=progress)
    codebase = _codebase(folder, dirs, progress)
    _insist_on_editable(folder, codebase)
    raw = {item.name: obtain(item, task_folder=folder.path, dirs=dirs, progress=progress) for item in task.data}
    secret = secret or machine_secret(dirs.cache)
    key = f"{task.name}-{track_name}-{folder.digest[:12]}-{secret.fingerprint}"
    pools = dirs.pools / key
    if not pools.exists():
        progress.start(f"{task.name}: pools")
        make_splits(DatasetBuilder(folder, track, python, sandbox), raw, pools, secret)
        progress.finish()
    return PreparedTask(
        folder=folder,
        track_name=track_name,
        codebase=codebase,
        python=python,
        raw=tuple(raw.values()),
        pools=pools,
        draws=dirs.draws / key,
        sandbox=sandbox,
        secret=secret,
    )


def _insist_on_editable(folder: TaskFolder, codebase: Path) -> None:
    """What a manifest suggests must be there and editable, for it is what agents begin with."""
    editable = folder.task.editable
    files = editable_files(codebase, editable)
    absent = [name for name in editable.suggested if not any(matches(path, [name]) for path in files)]
    if absent or not files:
        what = f"suggests '{absent[0]}', which is not among them" if absent else "has none"
        raise TaskInvalid(
            f"Of the editable files in its codebase, task '{folder.task.name}' {what}.",
            hint=f"Mend [editable] in {folder.path / 'task.toml'}: globs are {', '.join(editable.globs)}.",
        )


def _codebase(folder: TaskFolder, dirs: Dirs, progress: Progress) -> Path:
    """The repository as agents find it: upstream, its mends, and the task's own files."""
    upstream = obtain(folder.task.codebase, task_folder=folder.path, dirs=dirs, progress=progress)
    if not folder.task.overlay:
        return upstream
    whole = dirs.materials / f"{folder.task.name}-repository-{folder.digest[:12]}"
    with exclusive(whole):
        if not whole.exists():
            with scratch_beside(whole) as scratch:
                replace_folder(_overlaid(upstream, folder, scratch), whole)
    return whole


def _overlaid(upstream: Path, folder: TaskFolder, scratch: Path) -> Path:
    made = scratch / "made"
    shutil.copytree(upstream, made, copy_function=shutil.copyfile)
    shutil.copytree(folder.path / folder.task.overlay, made, dirs_exist_ok=True)
    return made


def find_changed(prepared: PreparedTask, dirs: Dirs, progress: Progress) -> list[str]:
    """What of a task's codebase and data is, on this machine, no longer what its source gives."""
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
