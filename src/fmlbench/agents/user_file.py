"""Load an agent from a user's Python file."""

import hashlib
import sys
from dataclasses import dataclass
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import TypeVar

from fmlbench.agents.user_errors import OWN_FILE, display_path, mistakes_in, place_in
from fmlbench.core.errors import AgentBroken, AgentChanged, AgentNotFound, BadRequest, FmlbenchError

Kind = TypeVar("Kind")


def is_file_of_agents(name: str) -> bool:
    """Whether an agent's name is the path of a Python file."""
    return name.endswith(".py")


@dataclass(frozen=True)
class AgentFile:
    """A user's file as it was read: the code that runs is the code with this digest."""

    path: Path
    source: bytes

    @property
    def digest(self) -> str:
        """Equal for equal files."""
        return hashlib.sha256(self.source).hexdigest()


def read_agent_file(path: Path, digest: str = "") -> AgentFile:
    """Read a user's file; if ``digest`` is given, the file must have it."""
    if not path.is_file():
        raise AgentNotFound(f"There is no file '{path}'.", hint="Give the path of a Python file that defines an agent.")
    file = AgentFile(path, path.read_bytes())
    if digest and digest != file.digest:
        raise AgentChanged(
            f"{display_path(str(path))} has changed since this run was started.",
            hint="Restore the file, or start a new run with the same command.",
        )
    return file


def load_one(file: AgentFile, kind: type[Kind]) -> Kind:
    """The only object of a kind that a Python file defines; mistakes are reported with their line."""
    path = file.path
    found = [value for value in vars(_imported(file)).values() if isinstance(value, kind)]
    if len(found) != 1:
        raise BadRequest(
            f"'{path}' defines {len(found)} agents, not one.",
            hint="Define one at its end: AGENT = search_entry(...); docs/agents.md shows how.",
        )
    return found[0]


def _imported(file: AgentFile) -> ModuleType:
    path = file.path
    spec = spec_from_file_location(f"{OWN_FILE}{path.stem}", path)
    assert spec is not None  # noqa: S101 - a name that ends with .py has a loader
    module = module_from_spec(spec)
    # Dataclasses look up their module while it is being executed.
    sys.modules[spec.name] = module
    with mistakes_in(str(path)):
        try:
            # Not with its loader, which could use an outdated bytecode file from the same second.
            exec(compile(file.source, path, "exec", dont_inherit=True), vars(module))  # noqa: S102 - the user's own
        except FmlbenchError as error:
            raise AgentBroken(f"{place_in(str(path), error)}: {error.message}", hint=error.hint) from error
    return module
