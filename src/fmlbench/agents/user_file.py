"""An agent from a file of the user's own: tried out before anything is packaged."""

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
    """Whether an agent is named by the file it is written in."""
    return name.endswith(".py")


@dataclass(frozen=True)
class AgentFile:
    """A user's file as it was when it was read: what is run is what the digest is of."""

    path: Path
    source: bytes

    @property
    def digest(self) -> str:
        """Equal for equal files."""
        return hashlib.sha256(self.source).hexdigest()


def read_agent_file(path: Path, digest: str = "") -> AgentFile:
    """Read a user's file; one that a run was started with must still have its digest."""
    if not path.is_file():
        raise AgentNotFound(f"There is no file '{path}'.", hint="Give the path of a Python file that defines an agent.")
    file = AgentFile(path, path.read_bytes())
    if digest and digest != file.digest:
        raise AgentChanged(
            f"{display_path(str(path))} has changed since this run was started.",
            hint="Bring the file back to what it was, or start another run with the same command.",
        )
    return file


def load_one(file: AgentFile, kind: type[Kind]) -> Kind:
    """The one thing of a kind that a Python file defines; a mistake in it is told with its place."""
    path = file.path
    found = [value for value in vars(_imported(file)).values() if isinstance(value, kind)]
    if len(found) != 1:
        raise BadRequest(
            f"'{path}' defines {len(found)} agents, not one.",
            hint="Let it end with a line like: AGENT = search_entry(...); docs/agents.md shows how.",
        )
    return found[0]


def _imported(file: AgentFile) -> ModuleType:
    path = file.path
    spec = spec_from_file_location(f"{OWN_FILE}{path.stem}", path)
    assert spec is not None  # noqa: S101 - a name that ends with .py has a loader
    module = module_from_spec(spec)
    # Dataclasses look their module up while it is still being run.
    sys.modules[spec.name] = module
    with mistakes_in(str(path)):
        try:
            # Not by its loader, which would take a compiled file of the same second for it.
            exec(compile(file.source, path, "exec", dont_inherit=True), vars(module))  # noqa: S102 - the user's own
        except FmlbenchError as error:
            raise AgentBroken(f"{place_in(str(path), error)}: {error.message}", hint=error.hint) from error
    return module
