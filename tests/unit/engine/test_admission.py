"""What a task is refused for; that good ones are admitted, the tutorial and every task show."""

import re
import shutil
from pathlib import Path

import pytest

from fmlbench.core.errors import TaskInvalid
from fmlbench.core.progress import Silent
from fmlbench.engine.admission import Finding, check_task
from fmlbench.engine.arena import AttackRow
from fmlbench.execution.sandbox import Sandbox
from fmlbench.tasks.folder import read_task
from fmlbench.tasks.starting import start_task
from fmlbench.workspace.places import Places

pytestmark = pytest.mark.sandbox

THROUGH = AttackRow(
    attack="known-paths",
    family="label access",
    tries="",
    outcome="ok",
    validation=1.0,
    test=1.0,
    bar=0.7,
    seen="",
    earned=True,
    has_run=True,
    as_expected=False,
)
EXPLOIT = '[[exploits]]\nfolder = "exploits/quick"\nidea = "What pays."\n\n[tracks.cpu]'


@pytest.fixture
def bad(tmp_path: Path) -> Path:
    """A copy of the toy task with nothing right about it."""
    folder = start_task("bad", tmp_path)
    shutil.copytree(folder / "reference", folder / "exploits" / "quick")
    for variant in ("reference", "method_off"):
        shutil.rmtree(folder / variant)
        shutil.copytree(folder / "codebase", folder / variant)
    manifest = folder / "task.toml"
    text = manifest.read_text().replace("[tracks.cpu]", EXPLOIT)
    manifest.write_text(
        re.sub(r"baseline = \{ validation = \{ mean = [\d.]+", "baseline = { validation = { mean = 0.9", text)
    )
    return folder


def one_gets_through(*_: object, **__: object) -> list[AttackRow]:
    return [THROUGH]


@pytest.fixture
def findings(bad: Path, places: Places, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> list[Finding]:
    monkeypatch.setattr("fmlbench.engine.admission.attack_task", one_gets_through)
    return check(bad, places, sandbox)


def check(task: Path, places: Places, sandbox: Sandbox) -> list[Finding]:
    found: list[Finding] = []
    passed = check_task(
        read_task(task), "cpu", places=places, sandbox=sandbox, progress=Silent(), quick=True, report=found.append
    )
    assert passed == all(finding.passed for finding in found)
    return found


def test_every_fault_of_a_task_is_found(findings: list[Finding]):
    assert {finding.check: finding.passed for finding in findings} == {
        "materials": True,
        "leaks": True,
        "no-op": True,
        "method": False,
        "reference": False,
        "record": False,
        "exploits": False,
        "attacks": False,
    }
    told = {finding.check: finding.detail for finding in findings}
    assert "+0.0 sigma (at least 3 asked; n = 1)" in told["reference"]
    assert "0.9000 on record" in told["record"]
    assert told["attacks"] == "not stopped: known-paths"


def test_a_second_check_measures_only_what_changed(
    findings: list[Finding], bad: Path, places: Places, sandbox: Sandbox
):
    (kept,) = places.checks.glob(f"bad-cpu-{read_task(bad).on('cpu').digest[:12]}-*")
    before = {path: path.stat().st_mtime_ns for path in kept.rglob("*.json")}
    (bad / "reference" / "tinylearn" / "model.py").write_text("")
    with pytest.raises(TaskInvalid, match="The reference of 'bad' fails on validation"):
        check(bad, places, sandbox)
    assert {path: path.stat().st_mtime_ns for path in kept.rglob("*.json")} == before
