"""The command line of sweeps: plans, pages and errors, without anything being played."""

import json
from pathlib import Path

import pytest

from fmlbench.cli.selection import select_runs
from fmlbench.core.errors import BadRequest
from fmlbench.core.run import Budget
from fmlbench.records.folder import RunFolder
from fmlbench.reports.number_text import duration_text
from fmlbench.scheduling.attempts import AttemptEnd, Began, Ended, log_attempt
from fmlbench.scheduling.cost import HARNESS_SECONDS
from fmlbench.scheduling.plan import lay_out, make_plan
from fmlbench.scheduling.study import read_study
from fmlbench.tasks.library import find_task
from fmlbench.tasks.template import start_task
from tests.command_line import Fmlbench
from tests.handwritten_studies import complete

STUDY = 'tasks = ["toy"]\nagents = ["greedy", "random"]\nseeds = 2\nbudget = { steps = 2 }\n'


CALIBRATION = find_task("toy").track("cpu").calibration
assert CALIBRATION
EACH = CALIBRATION.step_cpu_seconds + HARNESS_SECONDS


@pytest.fixture
def study(tmp_path: Path) -> Path:
    path = tmp_path / "mine.toml"
    path.write_text(STUDY)
    return path


def test_a_plan_tells_runs_time_and_dollars_and_writes_nothing(fmlbench: Fmlbench, study: Path, runs: Path):
    called = fmlbench("sweep", str(study), "--plan", "--parallel", "2")
    assert called.code == 0, called.err
    assert "4 runs = 1 task x 2 agents x 2 seeds, 2 steps each" in called.out
    # Ten steps' worth per run, and six more in the first of each seed.
    seconds = [duration_text(share * EACH) for share in (26, 52)]
    assert f"estimated: {seconds[0]} with 2 in parallel ({seconds[1]} of runs), no dollars" in " ".join(
        called.out.split()
    )
    assert not runs.exists()


def test_a_plan_for_programs_is_json(fmlbench: Fmlbench, study: Path):
    told = json.loads(fmlbench("sweep", str(study), "--plan", "--parallel", "2", "--json").out)
    assert (told["runs"], told["agents"], told["parallel"], told["dollars"]) == (4, 2, 2, 0)
    assert told["seconds"] == pytest.approx(26 * EACH)


def test_the_time_of_tasks_that_nobody_has_calibrated_is_not_known(fmlbench: Fmlbench, tmp_path: Path):
    task = start_task("mine", tmp_path)
    manifest = (task / "task.toml").read_text()
    (task / "task.toml").write_text(manifest.partition("[tracks.cpu.calibration]")[0])
    path = tmp_path / "large.toml"
    path.write_text(f'tasks = ["{task}"]\nagents = ["noop"]\nseeds = 1\nbudget = {{steps = 2}}\n')
    said = fmlbench("sweep", str(path), "--plan").out
    assert "time unknown (not calibrated on this track: mine), no dollars" in " ".join(said.split())
    told = json.loads(fmlbench("sweep", str(path), "--plan", "--json").out)
    assert (told["seconds"], told["seconds_of_runs"]) == (None, None)
    assert json.loads(fmlbench("sweep", "status", str(path), "--json").out)["seconds_left"] is None


def test_nothing_is_left_to_do_takes_no_time(fmlbench: Fmlbench, study: Path, runs: Path):
    plan = make_plan(read_study(study), runs)
    lay_out(plan)
    for run in plan.runs:
        complete(run)
    said = fmlbench("sweep", str(study), "--plan", "--parallel", "2").out
    assert "already complete: 4" in said
    assert "estimated: 0.0 s with 2 in parallel" in said


def test_status_tells_how_long_what_is_left_will_take(fmlbench: Fmlbench, study: Path, runs: Path):
    plan = make_plan(read_study(study), runs)
    lay_out(plan)
    complete(plan.runs[0])
    # Runs of 10, 16 and 10 steps' worth are left, one after the other.
    left = json.loads(fmlbench("sweep", "status", str(study), "--json").out)["seconds_left"]
    assert left == pytest.approx(36 * EACH)
    assert f"about {duration_text(36 * EACH)} left" in fmlbench("sweep", "status", str(study)).out


@pytest.mark.parametrize("option", ["--seeds", "--steps", "--hours", "--dollars", "--track", "--agent", "--model"])
def test_study_options_without_task_or_suite_are_refused(fmlbench: Fmlbench, study: Path, option: str):
    called = fmlbench("sweep", str(study), option, "3", "--plan")
    assert (called.code, f"{option} needs --task or --suite" in called.err) == (2, True)


def test_budgets_can_be_given_by_flags_and_caps_overruled(fmlbench: Fmlbench, tmp_path: Path):
    path = str(tmp_path / "new.toml")
    words = ("sweep", path, "--task", "toy", "--model", "openai/gpt-5", "--hours", "0.5", "--dollars", "2", "--plan")
    assert "at most $6.00" in fmlbench(*words).out
    assert read_study(Path(path)).budget == Budget(steps=20, hours=0.5, dollars=2)
    assert "at most $4.50" in fmlbench("sweep", path, "--plan", "--cap-dollars", "4.5").out
    nothing = fmlbench("sweep", path, "--plan", "--cap-hours", "0")
    assert (nothing.code, "must be positive, got" in nothing.err) == (2, True)


def test_a_sweep_with_a_cap_for_a_model_that_nobody_asks_is_refused(fmlbench: Fmlbench, tmp_path: Path):
    called = fmlbench("sweep", str(tmp_path / "study.toml"), "--task", "toy", "--dollars", "2", "--plan")
    assert called.code == 2
    assert called.err.startswith("error: A cap in dollars or tokens needs a model")


def test_a_study_can_be_written_by_flags_and_is_never_overwritten(fmlbench: Fmlbench, tmp_path: Path):
    path = str(tmp_path / "new.toml")
    words = ("sweep", path, "--task", "toy", "--agent", "noop", "--agent", "random", "--seeds", "4", "--steps", "7")
    assert "8 runs = 1 task x 2 agents x 4 seeds, 7 steps each" in fmlbench(*words, "--plan").out
    assert [agent.name for agent in read_study(Path(path)).agents] == ["noop", "random"]
    assert fmlbench(*words, "--plan").code == 0
    other = fmlbench("sweep", path, "--task", "toy", "--plan")
    assert (other.code, "already exists with different content" in other.err) == (2, True)


def test_status_shows_complete_and_failed_runs(fmlbench: Fmlbench, study: Path, runs: Path):
    plan = make_plan(read_study(study), runs)
    for run in plan.runs:
        run.folder.path.mkdir(parents=True)
    complete(plan.runs[0])
    log_attempt(plan.runs[1].folder, Began(done=0))
    log_attempt(plan.runs[1].folder, Ended(ending=AttemptEnd.REFUSED, reason="no key"))
    called = fmlbench("sweep", "status", str(study))
    assert "4 runs: 1 complete, 2 waiting, 1 failed" in called.out
    assert f"{plan.runs[1].folder.path.name} failed: no key" in called.out
    assert "+34.6%, n = 1" in called.out
    told = json.loads(fmlbench("sweep", "status", str(study), "--json").out)
    assert told["failures"] == {"refused": 1}
    assert [group["n"] for group in told["groups"]] == [1, 0]


def test_a_study_names_those_of_its_runs_that_were_begun(study: Path, runs: Path):
    plan = make_plan(read_study(study), runs)
    lay_out(plan)
    with pytest.raises(BadRequest, match="matches no run"):
        select_runs(str(study), runs)
    complete(plan.runs[1])
    assert select_runs(str(study), runs) == [plan.runs[1].folder]


def test_cancel_and_retry_say_what_they_did(fmlbench: Fmlbench, study: Path, runs: Path):
    assert "cancelled 4 runs; 0 of them are running" in fmlbench("sweep", "cancel", str(study)).out
    (first, *_) = (RunFolder(path.parent) for path in runs.glob("*/run.json"))
    refused = fmlbench("resume", str(first.path))
    assert (refused.code, "was cancelled" in refused.err) == (2, True)
    assert "4 runs reset" in fmlbench("sweep", "retry", str(study)).out
    assert not first.cancelled.exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("sweep", "none.toml"), "cannot be read"),
        (("sweep", "STUDY", "--engine", "abacus"), "There is no engine named 'abacus'."),
        (("sweep", "STUDY", "--parallel", "0"), "--parallel"),
    ],
)
def test_what_is_wrong_is_two_lines(fmlbench: Fmlbench, study: Path, words: tuple[str, ...], message: str):
    called = fmlbench(*(str(study) if word == "STUDY" else word for word in words))
    assert called.code == 2
    first, second = called.err.splitlines()
    assert message in first
    assert second.startswith("hint:  ")
