"""Programs of a task, such as its grader, loaded so that a test can call their functions."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType


def load_program(program: Path) -> ModuleType:
    """Load a program as a module of its own; dataclasses want to find it among the modules."""
    spec = importlib.util.spec_from_file_location("-".join(program.with_suffix("").parts[-3:]), program)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module
