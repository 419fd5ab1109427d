"""Load an agent from a user's Python file, and report mistakes in it in two lines: the file, the line and the problem.

Exceptions in built-in agents are bugs of fmlbench and keep their traceback.
"""

import hashlib
import sys
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from traceback import walk_tb
from types import ModuleType
from typing import TypeVar

from pydantic import ValidationError
from pydantic_core import PydanticSerializationError

from fmlbench.core.agents import NoMoreCalls
from fmlbench.core.errors import AgentBroken, AgentChanged, AgentFailed, AgentNotFound, BadRequest, FmlbenchError
from fmlbench.core.record import first_problem

Kind = TypeVar("Kind")

OWN_FILE = "fmlbench_agent_"
"""Prefix of the module name of a user's file."""

_FIX = "Fix the file; docs/agents.md shows how."
_INSTALL = "Install it in the same Python environment as fmlbench, or remove the import."
_OURS = str(Path(__file__).resolve().parents[1])


class Mistake(Exception):
    """An agent returned something invalid; the message has no full stop."""


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


@cache
def _imported(file: AgentFile) -> ModuleType:
    """The executed file; cached, because users' files may do slow or visible work when they are executed."""
    path = file.path
    # Files of the same name in two folders are two modules.
    place = hashlib.sha256(str(path).encode()).hexdigest()[:8]
    spec = spec_from_file_location(f"{OWN_FILE}{path.stem}_{place}", path)
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


@contextmanager
def blamed_on(part: object) -> Generator[None]:
    """Report exceptions in a strategy or a proposer as mistakes in its file."""
    module = type(part).__module__
    file = getattr(sys.modules.get(module), "__file__", None)
    if module.startswith("fmlbench.") or file is None:
        yield
    elif module.startswith(OWN_FILE):
        with mistakes_in(file):
            yield
    else:
        with mistakes_in(file, AgentFailed, hint="Fix the package that contains it, or report this to its authors."):
            yield


@contextmanager
def mistakes_in(file: str, kind: type[FmlbenchError] = AgentBroken, hint: str = _FIX) -> Generator[None]:
    """Report exceptions as mistakes in a file; errors of fmlbench with their own hint pass unchanged."""
    try:
        yield
    except (FmlbenchError, NoMoreCalls):
        raise
    except Exception as error:
        if _is_infrastructure(file, error):
            raise
        hint = _INSTALL if isinstance(error, ModuleNotFoundError) else hint
        raise kind(f"{place_in(file, error)}: {in_words(error, file)}", hint=hint) from error


def place_in(file: str, error: Exception) -> str:
    """The file and its innermost line in the traceback, if there is one."""
    lines = [number for name, number in _frames(error) if name == file]
    if isinstance(error, SyntaxError) and error.filename == file and error.lineno is not None:
        lines.append(error.lineno)
    return f"{display_path(file)}, line {lines[-1]}" if lines else display_path(file)


def display_path(file: str) -> str:
    """A path relative to the current folder, if it is inside."""
    path, here = Path(file), Path.cwd()
    return f"./{path.relative_to(here)}" if path.is_relative_to(here) else file


def in_words(error: Exception, file: str = "") -> str:
    """Describe an error; the name of its type is left out if the message is clear without it."""
    match error:
        case ValidationError():
            return f"{error.title}: {first_problem(error)}"
        case SyntaxError() if error.filename == file:
            return error.msg
        case Mistake() | ImportError():
            return str(error)
        case _:
            return f"{type(error).__name__}: {error}".removesuffix(": ")


def _is_infrastructure(file: str, error: Exception) -> bool:
    """Whether fmlbench, called from the file, failed because of the disk or of a signal during serialization."""
    if not isinstance(error, OSError | PydanticSerializationError):
        return False
    names = [name for name, _ in _frames(error)]
    last = max((place for place, name in enumerate(names) if name == file), default=-1)
    return any(name.startswith(_OURS) for name in names[last + 1 :])


def _frames(error: Exception) -> list[tuple[str, int]]:
    return [(frame.f_code.co_filename, number) for frame, number in walk_tb(error.__traceback__)]
