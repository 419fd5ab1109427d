"""A sweep on SLURM, whatever is requeued, killed, cut off or goes away, ends as if nothing had happened."""

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from fmlbench.redteam.leftovers import processes_of
from fmlbench.scheduling.attempts import AttemptEnd, Began, Ended, read_attempts
from tests.engines.clusters import has_slurm, slurm, wait_until
from tests.sweeps import Bench, assert_same, players_in

pytestmark = [
    pytest.mark.engines,
    pytest.mark.sandbox,
    pytest.mark.timeout(1800),
    pytest.mark.skipif(not has_slurm() or os.geteuid() != 0, reason="needs SLURM, and root to start its daemons"),
]

OPTIONS = "[slurm]\npoll_seconds = 1\nruns_per_job = 1"

SLOW_SCRIPT = [
    {
        "idea": f"squares divided by {divisor}, after twelve seconds",
        "edits": [
            {
                "file": "tinylearn/features.py",
                "search": "np.hstack([standardised,",
                "replace": f"np.hstack([standardised, standardised**2 / {divisor},",
            },
            {"file": "tinylearn/training.py", "search": "import numpy", "replace": "import time\n\nimport numpy"},
            {"file": "tinylearn/training.py", "search": "rng = np", "replace": "time.sleep(12)\n    rng = np"},
        ],
    }
    for divisor in range(1, 10)
]
"""Two minutes, with the retest; SLURM ends jobs with a limit of a minute half a minute too late at the worst."""


def test_a_requeue_and_a_kill_change_nothing(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    bench = Bench(cache, tmp_path, OPTIONS)
    assert bench.ask("whole", "start")["states"]["complete"] == 4
    with slurm(tmp_path) as settings:
        for name, value in settings.items():
            monkeypatch.setenv(name, value)
        started = time.monotonic()
        sweep = bench.sweep("killed", "start", "--engine", "slurm")
        wait_until(lambda: len(list(players_in(bench.folder / "killed"))) == 2)
        time.sleep(3)
        first, *_ = running_jobs()
        subprocess.run(["scontrol", "requeue", first], check=True)
        wait_until(lambda: len(list(players_in(bench.folder / "killed"))) == 1)
        os.kill(min(players_in(bench.folder / "killed")), signal.SIGKILL)
        _, err = sweep.communicate(timeout=1200)
        print(f"\nslurm: {time.monotonic() - started:.0f} s with a requeue and a kill")
        assert sweep.returncode == 0, err
        status = bench.ask("killed", "status")
        print("slurm:", status["states"], status["failures"])
        # SLURM ends all processes of a requeued job at once, so the requeue is an attempt that was killed, too.
        assert sum(status["failures"].values()) == 2
        assert_same(bench.runs("whole"), bench.runs("killed"))
    assert list(players_in(bench.folder)) == []


def test_jobs_go_on_without_their_sweep_and_the_next_one_finds_them(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    bench = Bench(cache, tmp_path, OPTIONS.replace("runs_per_job = 1", "runs_per_job = 2"))
    with slurm(tmp_path) as settings:
        for name, value in settings.items():
            monkeypatch.setenv(name, value)
        sweep = bench.sweep("runs", "start", "--engine", "slurm")
        wait_until(lambda: len(running_jobs()) == 2)
        sweep.send_signal(signal.SIGINT)
        sweep.communicate(timeout=120)
        assert sweep.returncode == 130
        assert len(running_jobs()) == 2
        again = bench.sweep("runs", "start", "--engine", "slurm")
        _, err = again.communicate(timeout=1200)
        assert again.returncode == 0, err
        # Whoever had submitted them a second time would have left two lists of runs.
        assert len([path for path in (bench.folder / "runs" / ".slurm").iterdir() if path.suffix != ".out"]) == 1
        status = bench.ask("runs", "status")
        assert (status["states"]["complete"], status["failures"]) == (4, {})


def test_a_run_whose_job_reaches_its_time_limit_goes_on_in_another_one(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    bench = Bench(cache, tmp_path, f'{OPTIONS}\ntime = "1"', script=SLOW_SCRIPT, seeds=1)
    assert bench.ask("whole", "start")["states"]["complete"] == 2
    with slurm(tmp_path) as settings:
        for name, value in settings.items():
            monkeypatch.setenv(name, value)
        started = time.monotonic()
        sweep = bench.sweep("limited", "start", "--engine", "slurm")
        _, err = sweep.communicate(timeout=1200)
        print(f"\nslurm: {time.monotonic() - started:.0f} s with a time limit of a minute")
        assert sweep.returncode == 0, err
        status = bench.ask("limited", "status")
        print("slurm:", status["states"], status["failures"])
        assert (status["states"]["complete"], status["failed"]) == (2, [])
        # It was SLURM who ended them, and runners had the time to put everything away.
        said = "".join(path.read_text() for path in (bench.folder / "limited" / ".slurm").glob("*.out"))
        assert "DUE TO TIME LIMIT" in said
        assert status["failures"].keys() == {"cut off"}
        assert_same(bench.runs("whole"), bench.runs("limited"))
    for folder in bench.runs("limited").values():
        attempts = read_attempts(folder)
        endings = [attempt.ending for attempt in attempts if isinstance(attempt, Ended)]
        assert endings == [AttemptEnd.CUT_OFF] * (len(endings) - 1) + [AttemptEnd.COMPLETE]
        done = [attempt.done for attempt in attempts if isinstance(attempt, Began)]
        assert (len(done), done) == (len(endings), sorted(set(done)))
        assert processes_of(folder.path) == []


def running_jobs() -> list[str]:
    command = ["squeue", "--noheader", "--array", "--states=RUNNING", "--format=%A"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
