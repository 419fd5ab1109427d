"""A program that is an agent: how it is started, and what it needs to see."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from fmlbench.core.errors import BadRequest
from fmlbench.sandbox.process_setup import RESERVED
from fmlbench.sandbox.protocol import Mount


def _furnish_nothing(_home: Path) -> None:
    """Most programs need nothing in their home folder."""


@dataclass(frozen=True)
class Program:
    """A command line for a shell, and its surroundings.

    In values of the environment ``{lab}`` is the folder of the sandbox that all of it lies in, and ``{model}`` the
    address of its language model there, if it has one. The command finds the folder in $FML_LAB.
    """

    command: str
    mounts: tuple[Mount, ...] = ()
    path: tuple[str, ...] = ()
    """Folders in the sandbox where its own programs lie."""
    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    furnish: Callable[[Path], None] = _furnish_nothing
    """Put settings into its home folder."""


def command_program(command: str, see: str) -> Program:
    """A user's own command; ``see`` names folders, separated by colons, that it needs, at their own paths."""
    paths = tuple(dict.fromkeys(Path(path) for path in see.split(":") if path))
    mounts = tuple(map(_mount, paths))
    for path in paths:
        if outer := next((each for each in paths if each in path.parents), None):
            raise BadRequest(f"'{path}' lies within '{outer}', which is to be seen, too.", hint=f"Name {outer} alone.")
    return Program(command=command, mounts=mounts)


def require_sight(program: Program) -> None:
    """Look before anything is run whether the file that a command begins with will be there, behind the walls."""
    file = Path(next(iter(program.command.split()), ""))
    if not file.is_absolute() or not file.is_file() or file.parts[1] in RESERVED - {"tmp"}:
        return
    if not any(mount.source in (file, *file.parents) for mount in program.mounts):
        raise BadRequest(
            f"The agent's program would not see '{file}'.", hint=f"Show it the folder: --set see={file.parent}"
        )


def _mount(path: Path) -> Mount:
    if not path.is_absolute() or ".." in path.parts or not path.exists() or path == Path(path.anchor):
        raise BadRequest(
            f"There is no '{path}' for the agent's program to see.", hint="Give absolute paths that exist: see=/a:/b."
        )
    if path.parts[1] in RESERVED:
        raise BadRequest(
            f"A sandbox has a '/{path.parts[1]}' of its own: the agent's program cannot see '{path}'.",
            hint="Move it to another place, such as your home folder.",
        )
    return Mount(path, str(path).lstrip("/"))
