"""The Pythons that tasks run in: pinned, built once with venv and pip, mounted read-only."""

import hashlib
import subprocess
import sys
from importlib import resources
from pathlib import Path

from fmlbench.core.errors import EnvironmentBroken
from fmlbench.core.progress import Progress
from fmlbench.core.task import Environment
from fmlbench.execution.pythons import python_in
from fmlbench.execution.sandbox import TaskPython
from fmlbench.workspace.filing import exclusive, remove_folder
from fmlbench.workspace.places import Places


def build(environment: Environment, *, task_folder: Path, places: Places, progress: Progress) -> TaskPython:
    """Return the interpreter of an environment; built at the first call."""
    requirements = _requirements(environment, task_folder)
    key = hashlib.sha256(requirements.read_bytes() + sys.version.encode()).hexdigest()[:12]
    folder = places.environments / f"{environment.name}-{key}"
    with exclusive(folder):
        if not (folder / "complete").exists():
            remove_folder(folder)
            progress.start(f"environment {environment.name}")
            _run([sys.executable, "-m", "venv", str(folder)], environment)
            pip = [str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet", "--retries", "10"]
            _run([*pip, "--requirement", str(requirements)], environment)
            (folder / "complete").touch()
            progress.finish()
    return python_in(folder)


def _requirements(environment: Environment, task_folder: Path) -> Path:
    if environment.requirements:
        return task_folder / environment.requirements
    return Path(str(resources.files("fmlbench.suite") / "environments" / f"{environment.name}.txt"))


def _run(command: list[str], environment: Environment) -> None:
    finished = subprocess.run(command, capture_output=True, text=True, check=False)
    if finished.returncode != 0:
        raise EnvironmentBroken(
            f"The environment '{environment.name}' could not be built: {finished.stderr[-400:]}",
            hint="Look at pip's message; fmlbench tasks prepare tries again.",
        )
