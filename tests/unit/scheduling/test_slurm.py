"""What SLURM is asked for, and how its answers are understood; its programs are stood in for by shell scripts."""

import shlex
from pathlib import Path

import pytest

from fmlbench.core.errors import EngineMissing
from fmlbench.scheduling.engines.slurm import Slurm, open_slurm
from fmlbench.scheduling.planning import Plan
from fmlbench.scheduling.study import Caps
from fmlbench.scheduling.study import Slurm as Options
from tests.unit.scheduling.studies import planned, study


class Site:
    """A place with an sbatch that keeps what it is given, and a squeue that says what it is told to."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.programs = folder / "bin"
        self.programs.mkdir(parents=True)
        self._program("sbatch", f"cat >> {folder}/submitted; echo 1")
        self._program("squeue", f"cat {folder}/queue")
        self._program("scancel", f': > {folder}/queue; echo "$*" > {folder}/cancelled')
        self.queue("")

    def queue(self, lines: str) -> None:
        (self.folder / "queue").write_text(lines)

    def break_down(self) -> None:
        self._program("squeue", "echo 'Unable to contact slurm controller' >&2; exit 1")

    @property
    def scripts(self) -> list[str]:
        return (self.folder / "submitted").read_text().split("#!/bin/sh\n")[1:]

    def _program(self, name: str, script: str) -> None:
        (self.programs / name).write_text(f"#!/bin/sh\n{script}\n")
        (self.programs / name).chmod(0o755)


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Site:
    site = Site(tmp_path / "site")
    monkeypatch.setenv("PATH", f"{site.programs}:/usr/bin:/bin")
    return site


def plan_of(tmp_path: Path, options: Options, *, seeds: int = 5, parallel: int = 3) -> Plan:
    wanted = study(seeds=seeds, caps=Caps(parallel=parallel))
    return planned(wanted.model_copy(update={"slurm": options}), tmp_path / "runs")


def opened(plan: Plan) -> Slurm:
    return open_slurm(plan, Path("/cache"))


def tables_of(slurm: Slurm) -> list[Path]:
    return sorted(slurm.tables.iterdir())


QUICK = Options(runs_per_job=2, poll_seconds=0.001)


def test_an_array_asks_for_what_runs_need(site: Site, tmp_path: Path):
    plan = plan_of(
        tmp_path, QUICK.model_copy(update={"partition": "big", "time": "1:00:00", "options": ("--qos=low",)})
    )
    slurm = opened(plan)
    slurm.start(plan.runs)
    (script,) = site.scripts
    for option in (
        *("--job-name=fmlbench-test", "--array=0-2%3", "--cpus-per-task=1", "--mem=528M", "--requeue"),
        *("--partition=big", "--time=1:00:00", "--qos=low"),
    ):
        assert f"#SBATCH {option}\n" in script
    assert "--gpus" not in script
    (table,) = tables_of(slurm)
    assert [len(row.split("\t")) for row in table.read_text().splitlines()] == [2, 2, 1]
    assert shlex.split(script.splitlines()[-1])[-3:] == ["/cache", str(table), "$SLURM_ARRAY_TASK_ID"]


def test_short_runs_share_a_job_and_long_ones_do_not(site: Site, tmp_path: Path):
    plan = plan_of(tmp_path, Options(), seeds=200)
    slurm = opened(plan)
    slurm.start(plan.runs)
    # Toy runs of two steps take 7.5 s, the first one 11.25 s: 53 of them in ten minutes.
    (table,) = tables_of(slurm)
    assert [len(row.split("\t")) for row in table.read_text().splitlines()] == [53, 53, 53, 41]


def test_a_job_that_left_the_queue_is_over(site: Site, tmp_path: Path):
    plan = plan_of(tmp_path, QUICK)
    slurm = opened(plan)
    slurm.start(plan.runs)
    (table,) = tables_of(slurm)
    site.queue(f"0 {table.name}\n2 {table.name}\n")
    (over,) = slurm.over()
    assert list(over.runs) == list(plan.runs[2:4])


def test_a_controller_that_does_not_answer_ends_nothing(site: Site, tmp_path: Path):
    plan = plan_of(tmp_path, QUICK)
    slurm = opened(plan)
    slurm.start(plan.runs)
    site.break_down()
    assert slurm.over() == []


def test_jobs_of_an_earlier_sweep_are_found_in_the_queue(site: Site, tmp_path: Path):
    plan = plan_of(tmp_path, QUICK)
    first = opened(plan)
    first.start(plan.runs)
    (table,) = tables_of(first)
    site.queue(f"1 {table.name}\n7 somebody-elses\n")
    assert list(opened(plan).adopted()) == list(plan.runs[2:4])


def test_stopping_cancels_by_name(site: Site, tmp_path: Path):
    slurm = opened(plan_of(tmp_path, QUICK))
    slurm.stop()
    assert (site.folder / "cancelled").read_text() == "--name=fmlbench-test\n"


def test_a_machine_without_slurm_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(EngineMissing, match="sbatch, squeue, scancel"):
        opened(plan_of(tmp_path, QUICK))
