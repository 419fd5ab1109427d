"""What a user sees when something goes wrong: two lines and an exit code, never a traceback.

    2     an error the user can mend
    75    the machine failed; the same command may work later
    130   stopped by Ctrl-C
    143   stopped by a SIGTERM

Whatever is not named here is a bug, and may crash.
"""

import errno
import shlex
import signal
from collections.abc import Callable, Generator
from contextlib import contextmanager
from types import FrameType
from typing import Protocol, runtime_checkable

import typer

from fmlbench.core.errors import AgentBroken, AgentFailed, FmlbenchError, InfraTrouble, ModelUnavailable
from fmlbench.reports.untrusted import one_line

USER_ERROR = 2
TRY_LATER = 75
INTERRUPTED = 130
TERMINATED = 143

_DISK_FULL = {errno.ENOSPC, errno.EDQUOT}
_FORBIDDEN = {errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR}


class Terminated(BaseException):
    """Somebody asked this process to end; raised so that everything is put away first."""


@runtime_checkable
class _UsageError(Protocol):
    """What Typer raises for an option or argument it cannot use."""

    ctx: typer.Context | None

    def format_message(self) -> str:
        """What is wrong, in one line."""
        ...


def exit_code_of(command: Callable[[], object]) -> int:
    """Run the command line and turn the way it ended into an exit code."""
    before = signal.signal(signal.SIGTERM, _end)
    try:
        code = command()
    except FmlbenchError as error:
        code = complain(error.message, error.hint)
        return TRY_LATER if isinstance(error, InfraTrouble) else code
    except OSError as error:
        explained = _explain(error)
        if explained is None:
            raise
        return complain(explained.message, explained.hint)
    except (Exception, KeyboardInterrupt, Terminated) as error:
        if stopped := _code_of_stop(error):
            typer.echo("stopped", err=True)
            return stopped
        if not isinstance(error, _UsageError):
            raise
        command_path = error.ctx.command_path if error.ctx else "fmlbench"
        return complain(error.format_message(), f"{command_path} --help")
    finally:
        signal.signal(signal.SIGTERM, before)
    return code if isinstance(code, int) else 0


def complain(message: str, hint: str) -> int:
    """Print an error and the way out of it; messages may quote what a candidate printed."""
    typer.echo(f"error: {one_line(message)}\nhint:  {one_line(hint)}", err=True)
    return USER_ERROR


@contextmanager
def resumable(run: str) -> Generator[None]:
    """Whatever stops a run, say how to go on with it."""
    command = f"fmlbench resume {shlex.quote(run)}"
    try:
        yield
    except (InfraTrouble, ModelUnavailable, AgentFailed) as trouble:
        raise type(trouble)(trouble.message, hint=f"{trouble.hint} Then go on with: {command}") from trouble
    except AgentBroken as mistake:
        # A run is played by one version of a file: a mended one is another agent.
        either = f"A mended file makes a new run, with the same command; as it is, go on with: {command}"
        raise AgentBroken(mistake.message, hint=f"{mistake.hint} {either}") from mistake
    except OSError as error:
        explained = _explain(error)
        if explained is None:
            raise
        raise InfraTrouble(explained.message, hint=f"{explained.hint} Then go on with: {command}") from error
    except (Exception, KeyboardInterrupt, Terminated) as stop:
        stopped = _code_of_stop(stop)
        if stopped is None:
            raise
        typer.echo(f"stopped; go on with: {command}", err=True)
        raise typer.Exit(stopped) from stop


def _code_of_stop(error: BaseException) -> int | None:
    """The exit code of a stop; a signal that comes while pydantic writes JSON ends as an error that names it."""
    kind = type(error).__name__
    told = str(error) if kind == "PydanticSerializationError" else kind
    codes = {"KeyboardInterrupt": INTERRUPTED, "Terminated": TERMINATED}
    return next((code for stop, code in codes.items() if stop in told), None)


def _end(number: int, frame: FrameType | None) -> None:
    del frame
    # A cluster asks every process of a job, and who started us passes it on: a second time must not cut short what the
    # first one began.
    signal.signal(number, signal.SIG_IGN)
    raise Terminated


def _explain(error: OSError) -> InfraTrouble | None:
    """What a user can do about the disk; None for any other trouble."""
    place = f": '{error.filename}'" if error.filename else ""
    if error.errno in _DISK_FULL:
        return InfraTrouble(f"The disk is full{place}.", hint="Free some space, or choose another folder.")
    if error.errno in _FORBIDDEN:
        return InfraTrouble(
            f"{error.strerror}{place}.",
            hint="Get the right to write there, or choose another folder (fmlbench doctor).",
        )
    return None
