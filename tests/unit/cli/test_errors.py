"""Errors are two lines and an exit code, and whatever stops a run says how to go on."""

import errno
import os
import signal

import pytest
import typer
from pydantic import BaseModel, field_serializer

from fmlbench.cli.errors import Terminated, exit_code_of, print_error, resumable
from fmlbench.core.errors import AgentBroken, AgentFailed, InfraTrouble, TaskNotFound
from tests.command_line import Fmlbench


def raising(error: BaseException):
    def command() -> None:
        raise error

    return command


def test_an_error_is_two_lines_on_stderr_and_code_2(fmlbench: Fmlbench):
    called = fmlbench("tasks", "show", "toi")
    assert (called.code, called.out) == (2, "")
    assert called.err == "error: There is no task named 'toi'.\nhint:  Did you mean 'toy'?\n"


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (("run",), "fmlbench run --help"),
        (("run", "toy", "--speed", "9"), "fmlbench run --help"),
        (("run", "toy", "--steps", "many"), "fmlbench run --help"),
        (("run", "toy", "--retest", "-1"), "fmlbench run --help"),
        (("tasks", "list", "--suit"), "fmlbench tasks list --help"),
        (("fly",), "fmlbench --help"),
    ],
)
def test_a_mistyped_command_gets_two_lines_too(fmlbench: Fmlbench, words: tuple[str, ...], hint: str):
    called = fmlbench(*words)
    assert called.code == 2
    first, second = called.err.splitlines()
    assert first.startswith("error: ")
    assert second == f"hint:  {hint}"


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (errno.ENOSPC, "The disk is full"),
        (errno.EDQUOT, "The disk is full"),
        (errno.EACCES, "Permission denied"),
        (errno.ENOTDIR, "Not a directory"),
    ],
)
def test_trouble_with_the_disk_is_two_lines(capsys: pytest.CaptureFixture[str], number: int, words: str):
    error = OSError(number, os.strerror(number), "/some/file")
    assert exit_code_of(raising(error)) == 2
    first, second = capsys.readouterr().err.splitlines()
    assert first.startswith(f"error: {words}: '/some/file'")
    assert second.startswith("hint:  ")


def test_any_other_failure_is_a_bug_and_crashes():
    with pytest.raises(OSError, match="Bad file"):
        exit_code_of(raising(OSError(errno.EBADF, "Bad file descriptor")))
    with pytest.raises(ZeroDivisionError):
        exit_code_of(raising(ZeroDivisionError()))


def test_what_a_candidate_printed_cannot_break_the_two_lines(capsys: pytest.CaptureFixture[str]):
    print_error("The grader failed.\n\x1b[2Jhint:  all is well", "Its last words:\n\x1b]0;x\x07boom")
    assert capsys.readouterr().err == ("error: The grader failed. hint: all is well\nhint:  Its last words: boom\n")


def test_ctrl_c_during_a_run_tells_how_to_go_on(capsys: pytest.CaptureFixture[str]):
    with pytest.raises(typer.Exit) as stopped, resumable("toy.1"):
        raise KeyboardInterrupt
    assert stopped.value.exit_code == 130
    assert capsys.readouterr().err == "stopped; resume with: fmlbench resume toy.1\n"


def test_a_crash_of_a_user_s_file_tells_how_to_go_on():
    with pytest.raises(AgentBroken) as caught, resumable("toy.1"):
        raise AgentBroken("./mine.py, line 3: no", hint="Fix the file.")
    assert caught.value.message == "./mine.py, line 3: no"
    assert caught.value.hint == (
        "Fix the file. After you edit the file, the same command starts a new run. "
        "To resume this run: fmlbench resume toy.1"
    )


def test_a_crash_of_another_package_s_agent_tells_how_to_go_on():
    with pytest.raises(AgentFailed) as caught, resumable("toy.1"):
        raise AgentFailed("theirs.py, line 3: no", hint="Fix the package.")
    assert caught.value.hint == "Fix the package. Then resume with: fmlbench resume toy.1"


def test_a_termination_during_a_run_tells_how_to_go_on(capsys: pytest.CaptureFixture[str]):
    with pytest.raises(typer.Exit) as stopped, resumable("my toy.1"):
        raise Terminated
    assert stopped.value.exit_code == 143
    assert capsys.readouterr().err == "stopped; resume with: fmlbench resume 'my toy.1'\n"


def test_a_sigterm_ends_a_command_with_143_and_the_old_answer_to_it_comes_back():
    before = signal.signal(signal.SIGTERM, signal.SIG_DFL)

    def command() -> None:
        os.kill(os.getpid(), signal.SIGTERM)
        signal.pause()

    assert exit_code_of(command) == 143
    assert signal.signal(signal.SIGTERM, before) == signal.SIG_DFL


def test_a_second_sigterm_does_not_keep_anything_from_being_put_away():
    """A cluster tells all processes of a job to end, and the one that started us passes it on."""
    put_away: list[str] = []

    def command() -> None:
        try:
            os.kill(os.getpid(), signal.SIGTERM)
            signal.pause()
        finally:
            os.kill(os.getpid(), signal.SIGTERM)
            put_away.append("everything")

    assert exit_code_of(command) == 143
    assert put_away == ["everything"]


def test_ctrl_c_elsewhere_ends_with_130():
    assert exit_code_of(raising(KeyboardInterrupt())) == 130


class Slow(BaseModel):
    """A record that a signal meets while it is being written."""

    signal: int

    @field_serializer("signal")
    def send(self, number: int) -> int:
        os.kill(os.getpid(), number)
        return number


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_while_a_record_is_written_is_a_stop_like_any_other(
    capsys: pytest.CaptureFixture[str], number: int, code: int
):
    def command() -> None:
        with resumable("toy.s0"):
            Slow(signal=number).model_dump_json()

    with pytest.raises(typer.Exit) as stopped:
        exit_code_of(command)
    assert stopped.value.exit_code == code
    assert capsys.readouterr().err == "stopped; resume with: fmlbench resume toy.s0\n"


def test_a_failing_machine_tells_how_to_go_on():
    with pytest.raises(InfraTrouble) as trouble, resumable("toy.1"):
        raise InfraTrouble("The grader failed.", hint="Look at the disk.")
    assert trouble.value.hint == "Look at the disk. Then resume with: fmlbench resume toy.1"


def test_a_full_disk_during_a_run_tells_how_to_go_on():
    with pytest.raises(InfraTrouble) as trouble, resumable("toy.1"):
        raise OSError(errno.ENOSPC, "No space left on device")
    assert trouble.value.message == "The disk is full."
    assert trouble.value.hint.endswith("fmlbench resume toy.1")


def test_other_errors_of_a_run_pass_unchanged():
    with pytest.raises(TaskNotFound), resumable("toy.1"):
        raise TaskNotFound("gone", hint="none")
