"""Tasks, agents, briefs and the state of the machine, for people and for programs."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from fmlbench.core.agents import Brief
from fmlbench.engine.admission import Finding
from fmlbench.tasks.template import start_task
from tests.command_line import Fmlbench


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


@pytest.mark.sandbox
def test_a_brief_is_markdown_or_the_record_itself(fmlbench: Fmlbench):
    page = fmlbench("brief", "toy").out
    assert page.startswith("# A tiny classifier\n")
    assert "* tinylearn/model.py" in page
    brief = Brief.model_validate_json(fmlbench("brief", "toy", "--json").out)
    assert brief.sealed
    assert "tinylearn/model.py" in brief.editable


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
