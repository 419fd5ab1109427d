"""Tasks, agents, briefs and the state of the machine, for people and for programs."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from fmlbench.core.agents import Brief
from fmlbench.engine.admission import Finding
from fmlbench.tasks.template import start_task
from tests.unit.cli.conftest import Fmlbench


def test_tasks_are_listed_for_people(fmlbench: Fmlbench):
    assert fmlbench("tasks").out == fmlbench("tasks", "list").out
    assert "accuracy, higher is better" in fmlbench("tasks").out


def test_tasks_are_listed_for_programs(fmlbench: Fmlbench):
    for words in (("tasks", "--json"), ("tasks", "list", "--json")):
        listed = {task["name"]: task for task in json.loads(fmlbench(*words).out)}
        assert listed["toy"]["metric"]["goal"] == "maximize"
        assert Path(listed["toy"]["path"]).is_dir()


def test_a_suite_narrows_the_list(fmlbench: Fmlbench):
    assert [task["name"] for task in json.loads(fmlbench("tasks", "list", "--suite", "test", "--json").out)] == ["toy"]
    assert fmlbench("tasks", "list", "--suite", "none").code == 2


def test_one_task_is_shown_whole(fmlbench: Fmlbench):
    page = fmlbench("tasks", "show", "toy").out
    for words in ("tinylearn/*.py", "Apache-2.0", "higher is better", "The labels of both exams", "fmlbench brief toy"):
        assert words in page
    assert json.loads(fmlbench("tasks", "show", "toy", "--json").out)["name"] == "toy"


@pytest.mark.sandbox
def test_a_task_can_be_prepared_ahead(fmlbench: Fmlbench):
    called = fmlbench("tasks", "prepare", "toy")
    assert (called.code, called.out) == (0, "toy is ready. Next: fmlbench run toy\n")


@pytest.mark.sandbox
def test_a_task_that_was_prepared_by_its_path_is_run_by_it(fmlbench: Fmlbench, tmp_path: Path):
    fmlbench("tasks", "new", "mine", "--in", str(tmp_path / "my tasks"))
    called = fmlbench("tasks", "prepare", str(tmp_path / "my tasks" / "mine"))
    assert called.out == f"mine is ready. Next: fmlbench run '{tmp_path}/my tasks/mine'\n"


@pytest.mark.sandbox
@pytest.mark.parametrize(("passed", "code"), [(True, 0), (False, 1)])
def test_a_check_tells_each_finding_and_the_verdict(
    fmlbench: Fmlbench, monkeypatch: pytest.MonkeyPatch, passed: bool, code: int
):
    def check(*_: object, report: Callable[[Finding], None], **__: object) -> bool:
        report(Finding(check="leaks", passed=passed, detail="[red]looked\x1b[2J everywhere"))
        return passed

    monkeypatch.setattr("fmlbench.cli.tasks.check_task", check)
    called = fmlbench("tasks", "check", "toy")
    assert called.code == code
    first, second = called.out.splitlines()
    assert first == f"{'ok    ' if passed else 'FAIL  '}leaks: [red]looked everywhere"
    assert second == f"toy is {'admitted' if passed else 'refused'}."
    record = json.loads(fmlbench("tasks", "check", "toy", "--json").out)
    assert (record["admitted"], record["findings"][0]["check"]) == (passed, "leaks")


def test_agents_are_listed_without_test_doubles(fmlbench: Fmlbench):
    listed = {agent["name"]: agent for agent in json.loads(fmlbench("agents", "--json").out)}
    assert {"noop", "oracle", "random", "greedy"} <= listed.keys()
    assert "scripted" not in listed
    assert listed["greedy"]["settings"]["debug_tries"]["default"] == 2
    assert "debug_tries=2" in fmlbench("agents").out


def test_one_agent_is_shown_with_what_its_settings_mean(fmlbench: Fmlbench):
    page = fmlbench("agents", "aide").out
    assert "number of initial drafts" in page
    assert "1 or more" in page
    assert json.loads(fmlbench("agents", "aide", "--json").out)["settings"]["drafts"]["default"] == 5
    assert "This agent has no settings." in fmlbench("agents", "linear").out
    assert "default model openai/gpt-5.1-codex" in fmlbench("agents", "codex").out
    assert "Did you mean 'aide'?" in fmlbench("agents", "aid").err


def test_an_agent_that_takes_a_model_names_what_can_then_be_set(fmlbench: Fmlbench):
    for name in ("aide", "linear"):
        page = " ".join(fmlbench("agents", name).out.split())
        assert "Additional settings with --model" in page
        assert "context_tokens, output_tokens" in page
    for name in ("noop", "codex"):
        assert "--model it also" not in fmlbench("agents", name).out
    assert "temperature" in json.loads(fmlbench("agents", "aide", "--json").out)["model_settings"]


@pytest.mark.sandbox
def test_a_brief_is_markdown_or_the_record_itself(fmlbench: Fmlbench):
    page = fmlbench("brief", "toy").out
    assert page.startswith("# A tiny classifier\n")
    assert "* tinylearn/model.py" in page
    brief = Brief.model_validate_json(fmlbench("brief", "toy", "--json").out)
    assert brief.sealed
    assert "tinylearn/model.py" in brief.editable


def test_the_doctor_tells_of_keys_only_whether_they_are_there(fmlbench: Fmlbench, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret")
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    for words in (("doctor",), ("doctor", "--json")):
        called = fmlbench(*words)
        assert "sk-very" not in called.out + called.err
    found = {check["what"]: check["health"] for check in json.loads(fmlbench("doctor", "--json").out)}
    assert (found["OPENAI_API_KEY"], found["ANTHROPIC_API_KEY"]) == ("works", "optional")


def test_the_doctor_names_the_command_that_mends_a_missing_sandbox(fmlbench: Fmlbench, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("fmlbench.cli.doctor.why_not_sealed", lambda: "bubblewrap is not installed")
    monkeypatch.setattr("fmlbench.cli.doctor.how_to_seal", lambda: "Install it: sudo apt install bubblewrap")
    called = fmlbench("doctor")
    assert called.code == 1
    assert "Install it: sudo apt install bubblewrap" in called.out
    assert "--unsealed" in called.out


def test_the_doctor_sees_a_folder_that_cannot_be_used(
    fmlbench: Fmlbench, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    (tmp_path / "file").touch()
    monkeypatch.setenv("FMLBENCH_RUNS", str(tmp_path / "file" / "runs"))
    called = fmlbench("doctor", "--json")
    runs = next(check for check in json.loads(called.out) if check["what"] == "runs")
    assert (called.code, runs["health"]) == (1, "missing")
    assert "FMLBENCH_RUNS" in runs["fix"]


def test_the_doctor_misses_a_program(fmlbench: Fmlbench, monkeypatch: pytest.MonkeyPatch):
    def nowhere(_: str) -> None: ...

    monkeypatch.setattr("fmlbench.cli.doctor.shutil.which", nowhere)
    monkeypatch.setattr("fmlbench.sandbox.isolation.platform.freedesktop_os_release", lambda: {"ID": "fedora"})
    found = {check["what"]: check for check in json.loads(fmlbench("doctor", "--json").out)}
    assert (found["git"]["health"], found["npm"]["health"]) == ("missing", "optional")
    assert found["git"]["fix"] == "sudo dnf install git"


@pytest.mark.sandbox
def test_what_is_only_tried_out_is_not_calibrated(fmlbench: Fmlbench, tmp_path: Path):
    manifest = start_task("mine", tmp_path) / "task.toml"
    manifest.write_text(manifest.read_text().replace("carry_mb = 4\n", "carry_mb = 4\nsmoke = { train_rows = 9 }\n"))
    before = manifest.read_bytes()
    called = fmlbench("tasks", "check", str(manifest.parent), "--smoke", "--calibrate")
    assert (called.code, called.err) == (
        2,
        "error: A smoke test cannot be calibrated.\nhint:  Leave out --calibrate or --smoke.\n",
    )
    assert manifest.read_bytes() == before
