"""Faults of the machine or a second user: the run stops with two clear lines and can be resumed."""

import os
import shlex
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

from fmlbench.records.folder import RunFolder
from fmlbench.records.lease import locked
from fmlbench.records.replay import read_state
from fmlbench.tasks.template import start_task
from fmlbench.workspace.dirs import Dirs
from tests.endurance.conftest import Play
from tests.endurance.records import essence, times_logged

NewRun = Callable[[str], RunFolder]

pytestmark = [pytest.mark.sandbox, pytest.mark.timeout(900)]

PROJECT = Path(__file__).parent.parent.parent


def fmlbench(cache: Path, runs: Path, *arguments: str) -> list[str]:
    start = "from fmlbench.cli.app import main; main()"
    settings = [f"FMLBENCH_CACHE={cache}", f"FMLBENCH_RUNS={runs}"]
    return ["env", *settings, sys.executable, "-c", start, *arguments]


def run(command: list[str]) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=False, timeout=600)


def assert_two_lines(stderr: str) -> None:
    lines = [line for line in stderr.splitlines() if line.startswith(("error:", "hint:"))]
    assert [line.split(":")[0] for line in lines] == ["error", "hint"], stderr
    assert "Traceback" not in stderr


def test_a_second_process_is_refused_with_the_holders_pid(new_run: NewRun, cache: Path):
    folder = new_run("runs")
    with locked(folder.lock):
        second = run(fmlbench(cache, folder.path.parent, "resume", folder.path.name))
    assert second.returncode == 2
    assert_two_lines(second.stderr)
    assert str(os.getpid()) in second.stderr


def test_a_torn_last_line_loses_nothing(new_run: NewRun, play: Play):
    whole, torn = new_run("whole"), new_run("torn")
    play(whole, 0).communicate(timeout=300)
    play(torn, 7).communicate(timeout=300)
    with torn.events.open("ab") as log:
        log.write(b'{"at":"2026-11-15T00:00:00","event":"step-fin')
    play(torn, 0).communicate(timeout=300)
    assert essence(torn) == essence(whole)
    assert set(times_logged(torn).values()) == {1}


def in_small_world(script: str, **facts: object) -> "subprocess.CompletedProcess[str]":
    """Run a shell script in a private mount namespace."""
    namespaces = ["--mount"] if os.geteuid() == 0 else ["--user", "--map-root-user", "--mount"]
    filled = textwrap.dedent(script).format(**facts)
    return run(["unshare", *namespaces, "sh", "-ec", filled])


def test_a_full_disk_stops_the_run_and_loses_nothing(new_run: NewRun, play: Play, cache: Path, tmp_path: Path):
    whole, starved = new_run("whole"), new_run("starved")
    play(whole, 0).communicate(timeout=300)
    resume = fmlbench(cache, starved.path.parent, "resume", starved.path.name)
    done = in_small_world(
        """
        cp -r {runs} {copy}
        mount -t tmpfs -o size=300k tmpfs {runs}
        cp -r {copy}/. {runs}
        ! {resume}
        mount -o remount,size=200m {runs}
        {resume}
        rm -rf {copy}
        cp -r {runs} {copy}
        """,
        runs=starved.path.parent,
        copy=tmp_path / "copy",
        resume=shlex.join(resume),
    )
    assert done.returncode == 0, done.stderr
    assert_two_lines(done.stderr)
    assert "No space left" in done.stderr or "full" in done.stderr
    survived = RunFolder(tmp_path / "copy" / starved.path.name)
    assert essence(survived) == essence(whole)
    assert set(times_logged(survived).values()) == {1}


def test_a_folder_without_write_permission_is_a_clear_error(new_run: NewRun, cache: Path):
    folder = new_run("runs")
    command = fmlbench(cache, folder.path.parent, "resume", folder.path.name)
    script = "mount --bind {runs} {runs}\nmount -o remount,bind,ro {runs}\n! {resume}"
    done = in_small_world(script, runs=folder.path.parent, resume=shlex.join(command))
    assert done.returncode == 0, done.stderr
    assert_two_lines(done.stderr)


def test_paths_with_spaces_and_two_runs_at_once(new_run: NewRun, play: Play):
    folders = [new_run("a folder, with spaces"), new_run("another one")]
    players = [play(folder, 0) for folder in folders]
    for player in players:
        output, _ = player.communicate(timeout=600)
        assert player.returncode == 0, output.decode()
    assert essence(folders[0]) == essence(folders[1])
    assert not list(folders[0].experiments.glob("*"))


def test_a_baseline_without_a_score_stops_the_run_before_anything_is_spent(dirs: Dirs, tmp_path: Path):
    task = start_task("slow", tmp_path)
    manifest = task / "task.toml"
    manifest.write_text(manifest.read_text().replace("cpu_seconds = 10,", "cpu_seconds = 0.01,"))
    command = ["run", str(task), "--agent", "noop", "--steps", "1", "--retest", "0"]
    stopped = run(fmlbench(dirs.cache, dirs.runs, *command))
    assert stopped.returncode == 75
    assert_two_lines(stopped.stderr)
    assert "The baseline of 'slow' has no score on this machine: timeout" in stopped.stderr
    (folder,) = dirs.runs.iterdir()
    assert read_state(RunFolder(folder)).steps == []
    assert "has no score" in run(fmlbench(dirs.cache, dirs.runs, "resume", folder.name)).stderr
