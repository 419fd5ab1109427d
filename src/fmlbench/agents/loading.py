"""An agent from a file of the user's own: tried out before anything is packaged."""

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import TypeVar

from fmlbench.agents.mistakes import OWN_FILE, mistakes_in, place_in
from fmlbench.core.errors import AgentBroken, AgentNotFound, BadRequest, FmlbenchError

Kind = TypeVar("Kind")


def is_file_of_agents(name: str) -> bool:
    """Whether an agent is named by the file it is written in."""
    return name.endswith(".py")


def load_one(path: Path, kind: type[Kind]) -> Kind:
    """The one thing of a kind that a Python file defines; a mistake in it is told with its place."""
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
    spec = spec_from_file_location(f"{OWN_FILE}{path.stem}", path)
    assert spec is not None  # noqa: S101 - a name that ends with .py has a loader
    assert spec.loader is not None  # noqa: S101
    module = module_from_spec(spec)
    # Dataclasses look their module up while it is still being run.
    sys.modules[spec.name] = module
    with mistakes_in(str(path)):
        try:
            spec.loader.exec_module(module)
        except FmlbenchError as error:
            raise AgentBroken(f"{place_in(str(path), error)}: {error.message}", hint=error.hint) from error
    return module
