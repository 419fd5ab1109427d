"""An agent from a file of the user's own: tried out before anything is packaged."""

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import TypeVar

from fmlbench.core.errors import AgentNotFound, BadRequest

Kind = TypeVar("Kind")


def is_file_of_agents(name: str) -> bool:
    """Whether an agent is named by the file it is written in."""
    return name.endswith(".py")


def load_one(path: Path, kind: type[Kind]) -> Kind:
    """The one thing of a kind that a Python file defines; what the file itself raises is its author's to see."""
    if not path.is_file():
        raise AgentNotFound(f"There is no file '{path}'.", hint="Give the path of a Python file that defines an agent.")
    found = [value for value in vars(_imported(path)).values() if isinstance(value, kind)]
    if len(found) != 1:
        raise BadRequest(
            f"'{path}' defines {len(found)} agents, not one.",
            hint="Let it end with a line like: AGENT = search_entry(...); docs/agents.md shows how.",
        )
    return found[0]


def _imported(path: Path) -> ModuleType:
    spec = spec_from_file_location(f"fmlbench_agent_{path.stem}", path)
    assert spec is not None  # noqa: S101 - a name that ends with .py has a loader
    assert spec.loader is not None  # noqa: S101
    module = module_from_spec(spec)
    # Dataclasses look their module up while it is still being run.
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module
