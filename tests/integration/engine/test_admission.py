"""Faults for which a task is not admitted; the tutorial and the suite cover good tasks."""

import re
import shutil
from pathlib import Path

import pytest

from fmlbench.core.errors import TaskInvalid
from fmlbench.core.progress import Silent
from fmlbench.core.task import Measured
from fmlbench.engine.admission import Finding, check_task
from fmlbench.engine.preparation import prepare
from fmlbench.engine.red_team import AttackRow
from fmlbench.engine.variants import Variants, VariantScores
from fmlbench.experiment.prepared_task import PreparedTask
from fmlbench.sandbox.protocol import Sandbox
from fmlbench.tasks.folder import read_task
from fmlbench.tasks.template import start_task
from fmlbench.workspace.dirs import Dirs

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
    """A copy of the toy task with every fault."""
    folder = start_task("bad", tmp_path)
    shutil.copytree(folder / "reference", folder / "exploits" / "quick")
    shutil.rmtree(folder / "reference")
    shutil.copytree(folder / "codebase" / "tinylearn", folder / "reference" / "tinylearn")
    manifest = folder / "task.toml"
    text = manifest.read_text().replace("[tracks.cpu]", EXPLOIT).replace(", steps=0)", ")")
    manifest.write_text(
        re.sub(r"baseline = \{ validation = \{ mean = [\d.]+", "baseline = { validation = { mean = 0.9", text)
    )
    return folder


def one_gets_through(*_: object, **__: object) -> list[AttackRow]:
    return [THROUGH]


def nothing_leaks(*_: object) -> list[str]:
    return []


@pytest.fixture
def findings(bad: Path, dirs: Dirs, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> list[Finding]:
    monkeypatch.setattr("fmlbench.engine.admission.attack_task", one_gets_through)
    return check(bad, dirs, sandbox)


def check(task: Path, dirs: Dirs, sandbox: Sandbox) -> list[Finding]:
    found: list[Finding] = []
    passed = check_task(
        read_task(task), "cpu", dirs=dirs, sandbox=sandbox, progress=Silent(), quick=True, report=found.append
    )
    assert passed == all(finding.passed for finding in found)
    return found


def test_finds_every_fault_of_a_task(findings: list[Finding]):
    assert {finding.check: finding.passed for finding in findings} == {
        "materials": True,
        "leaks": True,
        "no-op": True,
        "method": False,
        "reference": False,
        "headroom": True,
        "transfer": False,
        "record": False,
        "practice": True,
        "exploits": False,
        "knowledge": True,
        "mining": True,
        "attacks": False,
    }
    details = {finding.check: finding.detail for finding in findings}
    assert "+0.0 sigma (at least 3 required; n = 1)" in details["reference"]
    assert "0.9000 on record" in details["record"]
    assert details["attacks"] == "not stopped: known-paths"


def test_a_second_check_measures_only_what_changed(findings: list[Finding], bad: Path, dirs: Dirs, sandbox: Sandbox):
    kept = f"bad-cpu-{read_task(bad).on('cpu').digest[:12]}-*/**/*.json"
    before = {path: path.stat().st_mtime_ns for path in dirs.checks.glob(kept)}
    (bad / "reference" / "tinylearn" / "model.py").write_text("")
    with pytest.raises(TaskInvalid, match="The reference of 'bad' fails on validation"):
        check(bad, dirs, sandbox)
    assert {path: path.stat().st_mtime_ns for path in dirs.checks.glob(kept)} == before


def test_editing_rules_apply_to_variants_and_exploits(bad: Path, dirs: Dirs, sandbox: Sandbox):
    for variant in ("reference", "exploits/quick"):
        (bad / variant / "elsewhere").mkdir()
        (bad / variant / "elsewhere" / "x.py").write_text("x = 1\n")
    ready = prepare(read_task(bad), "cpu", dirs=dirs, sandbox=sandbox, progress=Silent())
    variants = Variants(ready, dirs, Silent())
    with pytest.raises(TaskInvalid, match=r"The reference of 'bad' breaks the editing rules: 'elsewhere/x\.py'"):
        variants.measure("reference", 1)
    assert str(variants.try_exploit(ready.task.exploits[0], 1)).startswith("rejected: 'elsewhere/x.py'")


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ('suggested = ["tinylearn/features.py"', 'suggested = ["tinylearn/none.py"', "suggests 'tinylearn/none.py'"),
        ('globs = ["tinylearn/*.py"]\nsuggested = [', 'globs = ["x/*.py"]\nsuggested = []\n#', "has no editable files"),
    ],
)
def test_suggested_files_must_exist_and_be_editable(
    tmp_path: Path, dirs: Dirs, sandbox: Sandbox, old: str, new: str, complaint: str
):
    manifest = start_task("odd", tmp_path) / "task.toml"
    assert old in manifest.read_text()
    manifest.write_text(manifest.read_text().replace(old, new))
    with pytest.raises(TaskInvalid, match=complaint):
        prepare(read_task(manifest.parent), "cpu", dirs=dirs, sandbox=sandbox, progress=Silent())


class Alternating(Variants):
    """Scores with the recorded mean; ten seeds alternate this far above and below it."""

    apart = 0.0

    def measure(self, variant: str, seeds: int) -> VariantScores:
        calibration = self.prepared.track.calibration
        assert calibration is not None
        on_record: Measured = getattr(calibration, variant)
        shifts = [self.apart * (-1) ** seed for seed in range(seeds)]
        validation, test = (
            [figure.mean + shift for shift in shifts] for figure in (on_record.validation, on_record.test)
        )
        return VariantScores(validation, test, [1.0] * seeds, [1.0] * seeds)

    def repeat_baseline(self) -> float:
        return self.measure("baseline", 1).validation[0]


@pytest.mark.parametrize(("apart", "passed"), [(0.0005, False), (0.005, True), (0.03, True), (0.06, False)])
def test_noise_that_differs_from_the_record_is_found(
    toy: PreparedTask, dirs: Dirs, monkeypatch: pytest.MonkeyPatch, apart: float, passed: bool
):
    # A standard deviation of 1.054 times how far they lie apart; 0.0088 and 0.0111 are on record.
    monkeypatch.setattr(Alternating, "apart", apart)
    monkeypatch.setattr("fmlbench.engine.admission.Variants", Alternating)
    monkeypatch.setattr("fmlbench.engine.admission.attack_task", one_gets_through)
    monkeypatch.setattr("fmlbench.engine.admission.find_leaks", nothing_leaks)
    found: list[Finding] = []
    check_task(toy.folder, "cpu", dirs=dirs, sandbox=toy.sandbox, progress=Silent(), report=found.append)
    (record,) = (finding for finding in found if finding.check == "record")
    assert (record.passed, "sigma" in record.detail) == (passed, not passed)
