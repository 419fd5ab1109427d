"""Programs of a task, such as its grader, loaded so that a test can call their functions, or run as processes."""

import importlib.util
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

import pytest

from fmlbench.experiment.prepared_task import KIT
from fmlbench.tasks.folder import ProgramFiles
from fmlbench.tasks.library import find_task


def load_program(program: Path) -> ModuleType:
    """Load a program as a module of its own; dataclasses want to find it among the modules."""
    spec = importlib.util.spec_from_file_location("-".join(program.with_suffix("").parts[-3:]), program)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@contextmanager
def loaded_recipe(task: str) -> Generator[ModuleType]:
    """A task's dataset builder with its modules; those of another task may have the same names."""
    with _importable(find_task(task).recipe) as files:
        yield load_program(files["recipe.py"])


def load_grader(task: str) -> ModuleType:
    """A task's grader."""
    with _importable(find_task(task).grader) as files:
        return load_program(files["grade.py"])


@contextmanager
def _importable(files: ProgramFiles) -> Generator[ProgramFiles]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "path", [*dict.fromkeys(str(path.parent) for path in files.values()), *sys.path])
        for name in files:
            patch.delitem(sys.modules, name.removesuffix(".py"), raising=False)
        yield files


def run_program(program: Path, *arguments: str | Path) -> None:
    """Run a dataset builder or grader as the harness does."""
    subprocess.run([sys.executable, "-I", "-B", KIT / "start.py", program, *arguments], check=True, timeout=60)
