"""Report mistakes in users' agents in two lines: the file, the line and the problem.

Exceptions in built-in agents are bugs of fmlbench and keep their traceback.
"""

import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from traceback import walk_tb

from pydantic import ValidationError
from pydantic_core import PydanticSerializationError

from fmlbench.core.agents import NoMoreCalls
from fmlbench.core.errors import AgentBroken, AgentFailed, FmlbenchError
from fmlbench.core.record import first_problem

OWN_FILE = "fmlbench_agent_"
"""Prefix of the module name of a user's file."""

_FIX = "Fix the file; docs/agents.md shows how."
_INSTALL = "Install it in the same Python environment as fmlbench, or remove the import."
_OURS = str(Path(__file__).resolve().parents[1])


class Mistake(Exception):
    """An agent returned something invalid; the message has no full stop."""


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
