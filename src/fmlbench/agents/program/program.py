"""How an agent that is a program is started, and the folders that it needs."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from fmlbench.core.errors import BadRequest
from fmlbench.sandbox.process_setup import RESERVED
from fmlbench.sandbox.protocol import Mount

LAB = "lab"
"""The folder of the sandbox that contains the agent's files, so that no folder of the machine is hidden."""


def _write_nothing(_home: Path) -> None:
    """Most programs need nothing in their home folder."""


@dataclass(frozen=True)
class Program:
    """A shell command and its environment.

    In environment values ``{lab}`` is replaced by the lab folder of the sandbox and ``{model}`` by the URL of the
    language model, if the program has one. The command finds the lab folder in $FML_LAB.
    """

    command: str
    mounts: tuple[Mount, ...] = ()
    path: tuple[str, ...] = ()
    """Folders of the sandbox that are added to PATH."""
    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    write_home: Callable[[Path], None] = _write_nothing
    """Writes settings into its home folder."""


def command_program(command: str, see: str) -> Program:
    """A user's command; ``see`` lists folders, separated by colons, that are mounted at their own paths."""
    paths = tuple(dict.fromkeys(Path(path) for path in see.split(":") if path))
    mounts = tuple(map(_mount, paths))
    for path in paths:
        if outer := next((each for each in paths if each in path.parents), None):
            raise BadRequest(f"see= contains both '{outer}' and '{path}' inside it.", hint=f"Give only {outer}.")
    return Program(command=command, mounts=mounts)


def require_visible(program: Program) -> None:
    """Check, before anything runs, that the sandbox will contain the file that a command starts with."""
    file = Path(next(iter(program.command.split()), ""))
    if not file.is_absolute() or not file.is_file() or file.parts[1] in RESERVED - {"tmp"}:
        return
    if not any(mount.source in (file, *file.parents) for mount in program.mounts):
        raise BadRequest(
            f"'{file}' is not visible in the agent's sandbox.", hint=f"Mount its folder: --set see={file.parent}"
        )


def _mount(path: Path) -> Mount:
    if not path.is_absolute() or ".." in path.parts or not path.exists() or path == Path(path.anchor):
        raise BadRequest(
            f"see= must list existing absolute paths without '..', got '{path}'.", hint="Write for example see=/a:/b."
        )
    if path.parts[1] in RESERVED:
        raise BadRequest(
            f"'{path}' cannot be mounted: the sandbox has its own '/{path.parts[1]}'.",
            hint="Move it to another folder, such as your home folder.",
        )
    return Mount(path, str(path).lstrip("/"))
