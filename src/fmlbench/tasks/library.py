"""Find tasks of this package, of other packages, and by the path of their folder."""

import difflib
from importlib import resources
from importlib.metadata import entry_points
from pathlib import Path

from fmlbench.core.errors import TaskInvalid, TaskNotFound
from fmlbench.tasks.folder import TaskFolder, read_task

ENTRY_POINT_GROUP = "fmlbench.tasks"
"""An entry point of this group names a package whose folders are tasks."""


def find_task(name: str) -> TaskFolder:
    """Return the task with that name or in that folder."""
    if is_path(name):
        path = Path(name).resolve()
        if not path.is_dir():
            raise TaskNotFound(f"There is no folder '{name}'.", hint="'fmlbench tasks list' shows all tasks.")
        return read_task(path)
    folders = task_folders()
    if name not in folders:
        raise TaskNotFound(f"There is no task named '{name}'.", hint=_suggest(name, folders))
    return read_task(folders[name])


def is_path(name: str) -> bool:
    """Whether this is the path of a task's folder."""
    return "/" in name or name.startswith(".")


def name_of(folder: TaskFolder) -> str:
    """The name of a registered task, or else its absolute path, which is valid in any working folder."""
    is_known = task_folders().get(folder.task.name) == folder.path
    return folder.task.name if is_known else str(folder.path.resolve())


def task_folders() -> dict[str, Path]:
    """Every known task's folder by name; this package's tasks win over others with the same name."""
    packages = [point.value for point in entry_points(group=ENTRY_POINT_GROUP)]
    return {folder.name: folder for package in (*packages, "fmlbench.suite") for folder in _tasks_in(package)}


def all_tasks(suite: str | None = None) -> list[TaskFolder]:
    """Every known task, or those of a suite, sorted by name."""
    tasks = [read_task(path) for _, path in sorted(task_folders().items())]
    if suite is None:
        return tasks
    chosen = [folder for folder in tasks if suite in folder.task.suites]
    if not chosen:
        known = sorted({name for folder in tasks for name in folder.task.suites})
        raise TaskNotFound(f"There is no suite named '{suite}'.", hint=f"Suites: {', '.join(known)}.")
    return chosen


def _tasks_in(package: str) -> list[Path]:
    try:
        folders = [Path(str(folder)) for folder in resources.files(package).iterdir()]
    except (ModuleNotFoundError, NotADirectoryError) as error:
        raise TaskInvalid(
            f"An entry point of the group {ENTRY_POINT_GROUP} names '{package}', which is not a package: {error}.",
            hint="Fix or uninstall the package that defines it.",
        ) from error
    return [folder for folder in sorted(folders) if (folder / "task.toml").is_file()]


def _suggest(name: str, folders: dict[str, Path]) -> str:
    close = difflib.get_close_matches(name, folders, n=1, cutoff=0.5)
    if close:
        return f"Did you mean '{close[0]}'?"
    return f"Tasks: {', '.join(sorted(folders))}. For a folder, pass its path, such as ./my-task."
