"""Print errors as two lines, without a traceback, and set the exit code.

    2     an error the user can fix
    75    infrastructure failure; the same command may work later
    130   stopped by Ctrl-C
    143   stopped by SIGTERM

All other exceptions are bugs and may crash with a traceback.
"""

import shlex
import signal
from collections.abc import Callable, Generator
from contextlib import contextmanager
from types import FrameType
from typing import Protocol, runtime_checkable

import typer

from fmlbench.core.errors import AgentBroken, AgentFailed, FmlbenchError, InfraTrouble, ModelUnavailable
from fmlbench.reports.untrusted import one_line
from fmlbench.workspace.files import explain_disk_error

USER_ERROR = 2
TRY_LATER = 75
INTERRUPTED = 130
TERMINATED = 143


class Terminated(BaseException):
    """SIGTERM as an exception, so that clean-up code runs."""


@runtime_checkable
class _UsageError(Protocol):
    """Typer's exception for invalid options and arguments."""

    ctx: typer.Context | None

    def format_message(self) -> str:
        """The error in one line."""
        ...


def exit_code_of(command: Callable[[], object]) -> int:
    """Run a command and convert its result or exception to an exit code."""
    before = signal.signal(signal.SIGTERM, _end)
    try:
        code = command()
    except FmlbenchError as error:
        code = print_error(error.message, error.hint)
        return TRY_LATER if isinstance(error, InfraTrouble) else code
    except OSError as error:
        explained = explain_disk_error(error)
        if explained is None:
            raise
        return print_error(explained.message, explained.hint)
    except (Exception, KeyboardInterrupt, Terminated) as error:
        if stopped := _code_of_stop(error):
            typer.echo("stopped", err=True)
            return stopped
        if not isinstance(error, _UsageError):
            raise
        command_path = error.ctx.command_path if error.ctx else "fmlbench"
        return print_error(error.format_message(), f"{command_path} --help")
    finally:
        signal.signal(signal.SIGTERM, before)
    return code if isinstance(code, int) else 0


def print_error(message: str, hint: str) -> int:
    """Print an error and its hint. They are sanitised, because they may quote candidate output."""
    typer.echo(f"error: {one_line(message)}\nhint:  {one_line(hint)}", err=True)
    return USER_ERROR


@contextmanager
def resumable(run: str) -> Generator[None]:
    """Add the command that resumes the run to every error and interruption."""
    command = f"fmlbench resume {shlex.quote(run)}"
    try:
        yield
    except (InfraTrouble, ModelUnavailable, AgentFailed) as trouble:
        raise type(trouble)(trouble.message, hint=f"{trouble.hint} Then resume with: {command}") from trouble
    except AgentBroken as mistake:
        # A run belongs to one version of the agent file; an edited file is a different agent.
        either = f"After you edit the file, the same command starts a new run. To resume this run: {command}"
        raise AgentBroken(mistake.message, hint=f"{mistake.hint} {either}") from mistake
    except OSError as error:
        explained = explain_disk_error(error)
        if explained is None:
            raise
        raise InfraTrouble(explained.message, hint=f"{explained.hint} Then resume with: {command}") from error
    except (Exception, KeyboardInterrupt, Terminated) as stop:
        stopped = _code_of_stop(stop)
        if stopped is None:
            raise
        typer.echo(f"stopped; resume with: {command}", err=True)
        raise typer.Exit(stopped) from stop


def _code_of_stop(error: BaseException) -> int | None:
    """The exit code of a stop. pydantic wraps a signal during serialisation in an error that names the signal."""
    kind = type(error).__name__
    description = str(error) if kind == "PydanticSerializationError" else kind
    codes = {"KeyboardInterrupt": INTERRUPTED, "Terminated": TERMINATED}
    return next((code for stop, code in codes.items() if stop in description), None)


def _end(number: int, frame: FrameType | None) -> None:
    del frame
    # A cluster signals every process of a job, and the parent forwards the signal: the second SIGTERM must not
    # interrupt the clean-up that the first one started.
    signal.signal(number, signal.SIG_IGN)
    raise Terminated
