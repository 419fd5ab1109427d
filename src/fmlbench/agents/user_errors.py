"""Mistakes in agents that others wrote, told in two lines: the file, the line in it, and what is wrong.

A mistake in an agent of the catalogue is a bug of ours and stays a traceback.
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
"""What the module of a user's file is called begins with this."""

_MEND = "Mend the file; docs/agents.md shows how."
_INSTALL = "Install it beside fmlbench, in the same Python, or do without it."
_OURS = str(Path(__file__).resolve().parents[1])


class Mistake(Exception):
    """What an agent hands in cannot be used; says why, in a sentence without its full stop."""


@contextmanager
def blamed_on(part: object) -> Generator[None]:
    """What goes wrong in a strategy or a proposer is told as a mistake in the file that it is written in."""
    module = type(part).__module__
    file = getattr(sys.modules.get(module), "__file__", None)
    if module.startswith("fmlbench.") or file is None:
        yield
    elif module.startswith(OWN_FILE):
        with mistakes_in(file):
            yield
    else:
        with mistakes_in(file, AgentFailed, hint="Mend the package that it is from, or ask those who wrote it to."):
            yield


@contextmanager
def mistakes_in(file: str, kind: type[FmlbenchError] = AgentBroken, hint: str = _MEND) -> Generator[None]:
    """What goes wrong in here is told as a mistake in a file; what has a way out of its own passes."""
    try:
        yield
    except (FmlbenchError, NoMoreCalls):
        raise
    except Exception as error:
        if _is_the_machines(file, error):
            raise
        hint = _INSTALL if isinstance(error, ModuleNotFoundError) else hint
        raise kind(f"{place_in(file, error)}: {in_words(error, file)}", hint=hint) from error


def place_in(file: str, error: Exception) -> str:
    """Where in a file something went wrong: its innermost line on the way, if there is one."""
    lines = [number for name, number in _frames(error) if name == file]
    if isinstance(error, SyntaxError) and error.filename == file and error.lineno is not None:
        lines.append(error.lineno)
    return f"{display_path(file)}, line {lines[-1]}" if lines else display_path(file)


def display_path(file: str) -> str:
    """The path of a file as a user would type it from here."""
    path, here = Path(file), Path.cwd()
    return f"./{path.relative_to(here)}" if path.is_relative_to(here) else file


def in_words(error: Exception, file: str = "") -> str:
    """What went wrong, seen from a file; the name of an error is left out where its words are enough."""
    match error:
        case ValidationError():
            return f"{error.title}: {first_problem(error)}"
        case SyntaxError() if error.filename == file:
            return error.msg
        case Mistake() | ImportError():
            return str(error)
        case _:
            return f"{type(error).__name__}: {error}".removesuffix(": ")


def _is_the_machines(file: str, error: Exception) -> bool:
    """Whether a disk, or a signal that met pydantic at work, is to blame, in what a file asked fmlbench to do."""
    if not isinstance(error, OSError | PydanticSerializationError):
        return False
    names = [name for name, _ in _frames(error)]
    last = max((place for place, name in enumerate(names) if name == file), default=-1)
    return any(name.startswith(_OURS) for name in names[last + 1 :])


def _frames(error: Exception) -> list[tuple[str, int]]:
    return [(frame.f_code.co_filename, number) for frame, number in walk_tb(error.__traceback__)]
