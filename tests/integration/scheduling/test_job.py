"""A job plays a run in a process of its own, and writes down how that ended."""

import os
import sys
import threading
from pathlib import Path

import pytest

from fmlbench.records.folder import RunFolder
from fmlbench.records.lease import leased
from fmlbench.scheduling.attempts import AttemptEnd, Ended, read_attempts
from fmlbench.scheduling.engines.local import Local, Machine
from fmlbench.scheduling.job import JobRunner, play_row, run_job
from tests.handwritten_studies import planned, study


def runner(folder: Path, script: str) -> JobRunner:
    """A runner that is a shell script; it gets the words of ``fmlbench resume``."""
    program = folder / "runner"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    return JobRunner(cache=folder / "cache", python=str(program))


def new_run(folder: Path) -> RunFolder:
    run = RunFolder(folder / "run")
    run.path.mkdir()
    return run


@pytest.mark.parametrize(
    ("script", "ending", "reason"),
    [
        ("exit 0", AttemptEnd.COMPLETE, ""),
        (
            "echo 'error: The disk is full.' >&2; echo 'hint: space' >&2; exit 75",
            AttemptEnd.TROUBLE,
            "The disk is full.",
        ),
        ("echo 'error: No such task.' >&2; exit 2", AttemptEnd.REFUSED, "No such task."),
        ("echo 'ZeroDivisionError: oh' >&2; exit 1", AttemptEnd.CRASHED, "ZeroDivisionError: oh"),
        ("kill -9 $$", AttemptEnd.KILLED, "killed by SIGKILL"),
        ("exit 143", AttemptEnd.CUT_OFF, ""),
        ("kill -TERM $$", AttemptEnd.CUT_OFF, ""),
    ],
)
def test_how_a_player_ends_is_written_down(tmp_path: Path, script: str, ending: AttemptEnd, reason: str):
    run = new_run(tmp_path)
    assert run_job(run, runner(tmp_path, script), threading.Event()) is ending
    last = read_attempts(run)[-1]
    assert isinstance(last, Ended)
    assert (last.ending, last.reason) == (ending, reason)


def test_a_player_is_told_its_run_its_cache_and_its_gpus(tmp_path: Path):
    run = new_run(tmp_path)
    base = runner(tmp_path, f'echo "$FMLBENCH_CACHE $*" > {tmp_path}/said')
    run_job(run, JobRunner(cache=base.cache, python=base.python, gpus=(1, 3)), threading.Event())
    assert (tmp_path / "said").read_text().split() == [
        *(str(tmp_path / "cache"), "-m", "fmlbench", "resume", str(run.path), "--gpu", "1", "--gpu", "3")
    ]


def test_a_player_may_use_its_own_cores_alone(tmp_path: Path):
    run = new_run(tmp_path)
    core = min(os.sched_getaffinity(0))
    # The runner looks once it has had time to be put in its place.
    look = f"sleep 0.5; exec {sys.executable} -c 'import os; print(*os.sched_getaffinity(0))' > {tmp_path}/said"
    base = runner(tmp_path, look)
    run_job(run, JobRunner(cache=base.cache, python=base.python, cores=(core,)), threading.Event())
    assert (tmp_path / "said").read_text().split() == [str(core)]


def test_cores_that_were_taken_away_stop_neither_this_job_nor_the_others(tmp_path: Path):
    run, stop = new_run(tmp_path), threading.Event()
    base = runner(tmp_path, "exit 0")
    assert run_job(run, JobRunner(cache=base.cache, python=base.python, cores=(4000,)), stop) is AttemptEnd.COMPLETE
    assert not stop.is_set()


def test_stopping_a_job_lets_its_player_put_everything_away(tmp_path: Path):
    run, stop = new_run(tmp_path), threading.Event()
    waiting = runner(
        tmp_path, f"trap 'touch {tmp_path}/away; exit 143' TERM; touch {tmp_path}/on; while :; do sleep 0.1; done"
    )
    threading.Thread(target=lambda: (_wait_for(tmp_path / "on"), stop.set())).start()
    assert run_job(run, waiting, stop) is AttemptEnd.STOPPED
    assert (tmp_path / "away").exists()


def test_a_job_that_is_stopped_before_its_player_can_put_anything_away_is_no_failure(tmp_path: Path):
    run, stop = new_run(tmp_path), threading.Event()
    starting = runner(tmp_path, f"touch {tmp_path}/on; while :; do sleep 0.1; done")
    threading.Thread(target=lambda: (_wait_for(tmp_path / "on"), stop.set())).start()
    assert run_job(run, starting, stop) is AttemptEnd.STOPPED


def test_a_cancelled_player_is_no_failure(tmp_path: Path):
    run = new_run(tmp_path)
    run.cancelled.touch()
    for code in (2, 143):
        assert run_job(run, runner(tmp_path, f"exit {code}"), threading.Event()) is AttemptEnd.STOPPED


def _wait_for(path: Path) -> None:
    while not path.exists():
        threading.Event().wait(0.01)


def test_a_run_that_another_plays_is_no_failure(tmp_path: Path):
    run = new_run(tmp_path)
    with leased(run.path):
        assert run_job(run, runner(tmp_path, "exit 2"), threading.Event()) is AttemptEnd.STOPPED


def test_a_row_of_runs_is_played_one_after_the_other(tmp_path: Path):
    runs = [RunFolder(tmp_path / name) for name in ("a run", "b", "c")]
    for run in runs:
        run.path.mkdir()
    (tmp_path / "table").write_text(f"{runs[2].path}\n{runs[0].path}\t{runs[1].path}\n")
    played = runner(tmp_path, f'echo "$4" >> {tmp_path}/said')
    play_row(played, tmp_path / "table", 1, threading.Event())
    assert (tmp_path / "said").read_text().splitlines() == [str(runs[0].path), str(runs[1].path)]


def test_the_local_engine_plays_beside_each_other_and_tells_when_it_is_over(tmp_path: Path):
    plan = planned(study(seeds=2), tmp_path / "runs")
    # Each waits for the other: one after the other they would wait for ever.
    script = f'touch "$4/here"; until [ $(ls {tmp_path}/runs/*/here | wc -l) = 2 ]; do sleep 0.05; done'
    engine = Local(runner(tmp_path, script), 2, Machine(cores=(), memory_mb=1, gpus=()))
    engine.start(plan.runs)
    assert engine.room() == 0
    ended: list[Path] = []
    while len(ended) < 2:
        ended += [run.folder.path for over in engine.finished() for run in over.runs]
    assert sorted(ended) == sorted(run.folder.path for run in plan.runs)
    assert engine.room() == 2
    engine.stop()
