"""The protocol between the harness and a launcher, tested with short shell scripts."""

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from fmlbench.sandbox import launcher as launcher_module
from fmlbench.sandbox.launcher import Launch, Launcher, LauncherFailed, LauncherPipes


def shell(script: str) -> Launch:
    """A launcher that runs a script; STATUS, START and CONFIG are replaced by its descriptors."""

    def command(ends: LauncherPipes) -> list[str]:
        with_config = script.replace("CONFIG", f"/proc/self/fd/{ends.config}")
        filled = with_config.replace("STATUS", f"/proc/self/fd/{ends.status}").replace(
            "START", f"/proc/self/fd/{ends.start}"
        )
        return ["/bin/sh", "-c", filled]

    return launch(command)


def launch(command: Callable[[LauncherPipes], list[str]]) -> Launch:
    return Launch(
        command=command, config=b"be good", environment={"PATH": "/usr/bin:/bin"}, working_folder="/", pass_fds=()
    )


def read_all(handle: int) -> bytes:
    chunks: list[bytes] = []
    while chunk := os.read(handle, 4096):
        chunks.append(chunk)
    return b"".join(chunks)


def test_a_job_starts_and_exits() -> None:
    script = """
        read -r go
        echo "begins at $go: $(cat CONFIG)"
        echo "{ \\"child-pid\\": $$, \\"other\\": 1 }" >STATUS
        head -c 1 START
        echo '{ "exit-code": 3 }' >STATUS
    """
    with Launcher(shell(script)) as launcher:
        assert launcher.begin() == launcher.pid
        launcher.start()
        assert read_all(launcher.output) == b"begins at go: be good\n!"
        launcher.end()
        assert (launcher.exit_code, launcher.exit_description) == (3, "ended with code 0")


def test_a_launcher_that_exits_before_the_job_starts_has_failed() -> None:
    with Launcher(shell("echo no such thing >&2; exit 1")) as launcher:
        with pytest.raises(LauncherFailed, match="did not start"):
            launcher.begin()
        launcher.end()
        assert (launcher.exit_code, launcher.exit_description) == (None, "ended with code 1")
        assert read_all(launcher.output) == b"no such thing\n"


def test_a_killed_launcher_has_no_exit_code() -> None:
    with Launcher(shell("kill -9 $$")) as launcher:
        with pytest.raises(LauncherFailed):
            launcher.begin()
        launcher.end()
        assert (launcher.exit_code, launcher.exit_description) == (None, "was killed by SIGKILL")


def test_closing_the_lifeline_ends_the_launcher(tmp_path: Path) -> None:
    script = f"""
        read -r go
        echo "{{ \\"child-pid\\": $$ }}" >STATUS
        read -r end || echo cut >{tmp_path}/seen
    """
    with Launcher(shell(script)) as launcher:
        launcher.begin()
    assert (tmp_path / "seen").read_text() == "cut\n"


def test_a_launcher_that_does_not_end_is_killed_and_has_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(launcher_module, "_END_SECONDS", 0.1)
    launcher = Launcher(shell('read -r go; echo "{ \\"child-pid\\": $$ }" >STATUS; exec sleep 1000'))
    launcher.begin()
    with pytest.raises(LauncherFailed, match="could not be ended"):
        launcher.end()
    monkeypatch.setattr(launcher_module, "_END_SECONDS", 30)
    with launcher:
        launcher.end()
        assert launcher.exit_description == "was killed by SIGKILL"


def test_a_launcher_can_write_after_the_harness_closed_the_pipe() -> None:
    ask = "import fcntl, os, sys; print(fcntl.fcntl(int(sys.argv[1]), fcntl.F_GETFL) & os.O_ACCMODE == os.O_RDWR)"
    with Launcher(launch(lambda ends: [sys.executable, "-I", "-c", ask, str(ends.status)])) as launcher:
        assert read_all(launcher.output) == b"True\n"


def test_no_descriptor_is_left_open() -> None:
    before = set(Path("/proc/self/fd").iterdir())
    with Launcher(shell("exit 0")) as launcher:
        launcher.end()
    with pytest.raises(FileNotFoundError):
        Launcher(launch(lambda _: ["/no/such/program"]))
    assert set(Path("/proc/self/fd").iterdir()) == before
