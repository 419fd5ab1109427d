"""Asking for runs: what is refused before anything is made, and what a real run prints."""

import json
from pathlib import Path

import pytest

from fmlbench.core.errors import RunExists
from fmlbench.engine.run import create
from fmlbench.records.folder import RunFolder
from fmlbench.records.log import read_events
from fmlbench.testing.made_runs import make_run
from fmlbench.workspace.dirs import Dirs
from tests.command_line import Fmlbench


def only_run(runs: Path) -> RunFolder:
    (path,) = (path for path in runs.iterdir() if path.is_dir())
    return RunFolder(path)


def test_only_a_run_that_is_not_complete_can_be_gone_on_with(tmp_path: Path):
    dirs = Dirs(cache=tmp_path / "cache", runs=tmp_path / "runs")
    going, complete = make_run(dirs.runs, steps=2, is_over=False), make_run(dirs.runs, steps=2, seed=1)
    with pytest.raises(RunExists) as caught:
        create(going.read_spec(), dirs)
    assert caught.value.hint == (
        f"Continue it with 'fmlbench resume {going.path.name}', or start another one with --label NAME."
    )
    with pytest.raises(RunExists) as caught:
        create(complete.read_spec(), dirs)
    assert caught.value.hint == (
        f"Show it with 'fmlbench show {complete.path.name}', or start another one with --seed N or --label NAME."
    )


@pytest.mark.sandbox
def test_a_run_prints_its_steps_while_it_goes_and_its_summary_at_the_end(fmlbench: Fmlbench, runs: Path):
    called = fmlbench("run", "toy", "--agent", "noop", "--steps", "1", "--retest", "1")
    assert called.code == 0
    assert ": 1 step, sealed" in called.err.splitlines()[0]
    assert "step 0/1  ok" in called.err
    assert "step 1/1  ok" in called.err
    assert "step" not in called.out.split("baseline")[0]
    assert "sealed by bubblewrap" in called.out
    assert str(only_run(runs).path) in called.out

    again = fmlbench("run", "toy", "--agent", "noop", "--steps", "1", "--retest", "1")
    assert again.code == 2
    name = only_run(runs).path.name
    assert again.err == (
        f"error: This run exists: {name}.\n"
        f"hint:  Show it with 'fmlbench show {name}', or start another one with --seed N or --label NAME.\n"
    )

    events = read_events(only_run(runs).events)
    resumed = fmlbench("resume", "toy", "--json")
    assert json.loads(resumed.out)["summary"]["stage"] == "complete"
    assert resumed.err == ""
    assert read_events(only_run(runs).events) == events


@pytest.mark.sandbox
def test_bench_plays_every_task_of_a_suite_and_goes_on_with_what_is_there(fmlbench: Fmlbench, runs: Path):
    words = ("bench", "--suite", "test", "--agent", "noop", "--steps", "1", "--retest", "0", "--json")
    first = fmlbench(*words)
    assert first.code == 0
    (report,) = json.loads(first.out)
    assert (report["folder"], report["summary"]["proposed"]) == (str(only_run(runs).path), 1)
    events = read_events(only_run(runs).events)
    assert fmlbench(*words).out == first.out
    assert read_events(only_run(runs).events) == events


def test_an_unsealed_run_says_so_from_beginning_to_end(fmlbench: Fmlbench):
    called = fmlbench("run", "toy", "--agent", "noop", "--steps", "1", "--retest", "1", "--unsealed")
    assert called.code == 0
    assert "UNSEALED" in called.err.splitlines()[0]
    assert "UNSEALED" in called.out.splitlines()[0]
