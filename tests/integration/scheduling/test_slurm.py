"""What SLURM is asked for, and how its answers are understood; its programs are stood in for by shell scripts."""

import math
import re
import shlex
import subprocess
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from fmlbench.core.errors import EngineMissing, InfraTrouble
from fmlbench.scheduling.engines.slurm import SlurmEngine, open_slurm
from fmlbench.scheduling.plan import Plan
from fmlbench.scheduling.study import SlurmOptions, SweepCaps
from tests.handwritten_studies import planned, study
from tests.integration.scheduling.test_job import runner


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

    def submit_badly(self, says: str, *, times: int, takes_it: bool = False) -> None:
        """Have sbatch fail so many times, whether or not it takes the job."""
        count = self.folder / "count"
        count.write_text("")
        queued = f"table=$(grep -o 'comment=.*' | cut -d= -f2); echo 0 $table > {self.folder}/queue" if takes_it else ""
        self._program(
            "sbatch",
            f"echo >> {count}\n"
            f"if [ $(wc -l < {count}) -le {times} ]; then {queued or ':'}; echo '{says}' >&2; exit 1; fi\n"
            f"cat >> {self.folder}/submitted; echo 1",
        )

    def fail(self, name: str, says: str, *, times: int) -> None:
        """Have a program fail so many times before it works again."""
        program, count = self.programs / name, self.folder / f"{name}-count"
        count.write_text("")
        works = program.read_text().removeprefix("#!/bin/sh\n")
        self._program(
            name, f"echo >> {count}\nif [ $(wc -l < {count}) -le {times} ]; then echo '{says}' >&2; exit 1; fi\n{works}"
        )

    @property
    def submissions(self) -> int:
        return len((self.folder / "count").read_text().splitlines())

    @property
    def jobs(self) -> list[str]:
        """All jobs that were ever handed in, as the queue would list them."""
        arrays = [re.findall(r"--array=0-(\d+)|--comment=(.+)", script) for script in self.scripts]
        return [f"{row} {table}" for (_, table), (last, _) in arrays for row in range(int(last) + 1)]

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


def plan_of(
    tmp_path: Path, options: SlurmOptions, *, tasks: Sequence[str] = ("toy",), seeds: int = 5, parallel: int | None = 3
) -> Plan:
    wanted = study(tasks=tasks, seeds=seeds, caps=SweepCaps(parallel=parallel))
    return planned(wanted.model_copy(update={"slurm": options}), tmp_path / "runs")


def opened(plan: Plan) -> SlurmEngine:
    return open_slurm(plan, Path("/cache"))


def tables_of(slurm: SlurmEngine) -> list[Path]:
    return sorted(slurm.tables.iterdir())


QUICK = SlurmOptions(runs_per_job=2, poll_seconds=0.001)


def test_an_array_asks_for_what_runs_need(site: Site, tmp_path: Path):
    plan = plan_of(
        tmp_path, QUICK.model_copy(update={"partition": "big", "time": "1:00:00", "options": ("--qos=low",)})
    )
    slurm = opened(plan)
    slurm.start(plan.runs)
    (script,) = site.scripts
    for option in (
        *("--job-name=fmlbench-test", "--array=0-2", "--cpus-per-task=1", "--mem=528M", "--requeue"),
        *("--partition=big", "--time=1:00:00", "--qos=low"),
    ):
        assert f"#SBATCH {option}\n" in script
    assert "--gpus" not in script
    (table,) = tables_of(slurm)
    assert [len(row.split("\t")) for row in table.read_text().splitlines()] == [2, 2, 1]
    assert shlex.split(script.splitlines()[-1])[-4:] == [
        *("/cache", str(table), "$SLURM_ARRAY_TASK_ID", "$SLURM_JOB_GPUS")
    ]


def test_short_runs_share_a_job_and_long_ones_do_not(site: Site, tmp_path: Path):
    plan = plan_of(tmp_path, SlurmOptions(), seeds=200, parallel=None)
    slurm = opened(plan)
    slurm.start(plan.runs)
    (table,) = tables_of(slurm)
    seconds = plan.runs[0].cost.seconds
    assert seconds
    assert {run.cost.seconds for run in plan.runs} == {seconds}
    in_ten_minutes = math.floor(600 / seconds)
    full, rest = divmod(200, in_ten_minutes)
    assert [len(row.split("\t")) for row in table.read_text().splitlines()] == [in_ten_minutes] * full + [rest]


def test_a_job_that_left_the_queue_is_over(site: Site, tmp_path: Path):
    plan = plan_of(tmp_path, QUICK)
    slurm = opened(plan)
    slurm.start(plan.runs)
    (table,) = tables_of(slurm)
    site.queue(f"0 {table.name}\n2 {table.name}\n")
    (over,) = slurm.finished()
    assert list(over.runs) == list(plan.runs[2:4])


FOUR = ("toy", "fairness", "causality", "privacy")


def test_no_more_jobs_are_in_the_queue_than_may_go_on_at_once(site: Site, tmp_path: Path):
    plan = plan_of(tmp_path, QUICK.model_copy(update={"runs_per_job": 1}), tasks=FOUR, seeds=3, parallel=4)
    slurm = opened(plan)
    slurm.start(plan.runs)
    queue = site.jobs
    site.queue("\n".join(queue))
    assert len(queue) == 4
    assert slurm.finished() == []
    assert len(site.jobs) == 4
    ended = queue.pop(1)
    site.queue("\n".join(queue))
    (over,) = slurm.finished()
    assert len(set(site.jobs) - {ended}) == 4
    # What has to be tried again waits for its turn, too.
    slurm.start(over.runs)
    assert len(set(site.jobs) - {ended}) == 4


def test_jobs_are_handed_in_seed_by_seed(site: Site, tmp_path: Path):
    plan = plan_of(tmp_path, QUICK.model_copy(update={"runs_per_job": 1}), tasks=FOUR, seeds=2, parallel=4)
    slurm = opened(plan)
    slurm.start(plan.runs)
    handed_in = {line for table in tables_of(slurm) for line in table.read_text().splitlines()}
    assert handed_in == {str(run.folder.path) for run in plan.runs[:4]}


def test_jobs_that_an_earlier_sweep_left_take_up_room(site: Site, tmp_path: Path):
    plan = plan_of(tmp_path, QUICK, parallel=2)
    opened(plan).start(plan.runs)
    site.queue("\n".join(site.jobs))
    again = opened(plan)
    again.start(plan.runs[4:])
    assert len(site.jobs) == 2
    site.queue("")
    assert [len(over.runs) for over in again.finished()] == [2, 2]
    assert len(site.jobs) == 3


def test_what_is_cancelled_before_it_is_handed_in_is_over_at_once(site: Site, tmp_path: Path):
    plan = plan_of(tmp_path, QUICK, parallel=1)
    slurm = opened(plan)
    slurm.start(plan.runs)
    for run in plan.runs:
        run.folder.cancelled.touch()
    assert [len(over.runs) for over in slurm.finished()] == [2, 2, 1]
    assert len(site.jobs) == 1


def test_a_controller_that_does_not_answer_ends_nothing(site: Site, tmp_path: Path):
    plan = plan_of(tmp_path, QUICK)
    slurm = opened(plan)
    slurm.start(plan.runs)
    site.break_down()
    assert slurm.finished() == []


BUSY = "sbatch: error: Batch job submission failed: Socket timed out on send/recv operation"


def test_a_controller_that_is_too_busy_for_new_jobs_is_waited_for(site: Site, tmp_path: Path):
    plan = plan_of(tmp_path, QUICK)
    pauses: list[float] = []
    slurm = replace(opened(plan), sleep=pauses.append)
    site.submit_badly(BUSY, times=2)
    slurm.start(plan.runs)
    assert (pauses, site.submissions, len(site.scripts)) == ([2.0, 4.0], 3, 1)


def test_jobs_that_were_taken_without_an_answer_are_not_submitted_again(site: Site, tmp_path: Path):
    plan = plan_of(tmp_path, QUICK)
    pauses: list[float] = []
    slurm = replace(opened(plan), sleep=pauses.append)
    site.submit_badly(BUSY, times=9, takes_it=True)
    slurm.start(plan.runs)
    assert site.submissions == 1
    assert [len(over.runs) for over in slurm.finished()] == [2, 1]


def test_a_controller_that_never_answers_is_given_up(site: Site, tmp_path: Path):
    plan = plan_of(tmp_path, QUICK)
    pauses: list[float] = []
    site.submit_badly(BUSY, times=99)
    with pytest.raises(InfraTrouble, match="Socket timed out"):
        replace(opened(plan), sleep=pauses.append).start(plan.runs)
    assert (len(pauses), sum(pauses)) == (7, 254.0)


def test_what_waiting_does_not_mend_is_said_at_once(site: Site, tmp_path: Path):
    plan = plan_of(tmp_path, QUICK)
    site.submit_badly("sbatch: error: invalid partition specified: big", times=99)
    with pytest.raises(InfraTrouble, match="invalid partition"):
        opened(plan).start(plan.runs)
    assert site.submissions == 1


def test_jobs_of_an_earlier_sweep_are_found_in_the_queue(site: Site, tmp_path: Path):
    plan = plan_of(tmp_path, QUICK)
    first = opened(plan)
    first.start(plan.runs)
    (table,) = tables_of(first)
    site.queue(f"1 {table.name}\n7 somebody-elses\n")
    assert list(opened(plan).recovered()) == list(plan.runs[2:4])


@pytest.mark.parametrize("given", ["2,3", ""])
def test_a_job_is_told_the_gpus_that_slurm_gave_it(site: Site, tmp_path: Path, given: str):
    python = runner(tmp_path, f'for word; do echo "$word"; done > {tmp_path}/said').python
    plan = plan_of(tmp_path, QUICK.model_copy(update={"python": python}), seeds=1)
    slurm = opened(plan)
    slurm.start(plan.runs)
    (script,) = site.scripts
    # Without GPUs, SLURM does not set it at all.
    context = {"SLURM_ARRAY_TASK_ID": "0", **({"SLURM_JOB_GPUS": given} if given else {})}
    subprocess.run(["/bin/sh"], input=script, text=True, env=context, check=True)
    (table,) = tables_of(slurm)
    assert (tmp_path / "said").read_text().split("\n")[2:] == ["/cache", str(table), "0", given, ""]


def test_stopping_cancels_by_name(site: Site, tmp_path: Path):
    slurm = opened(plan_of(tmp_path, QUICK))
    slurm.stop()
    assert (site.folder / "cancelled").read_text() == "--name=fmlbench-test\n"


def test_stopping_waits_for_a_controller_that_is_too_busy(site: Site, tmp_path: Path):
    pauses: list[float] = []
    slurm = replace(opened(plan_of(tmp_path, QUICK)), sleep=pauses.append)
    site.fail("scancel", "scancel: error: Unable to contact slurm controller (connect failure)", times=2)
    slurm.stop()
    assert pauses == [2.0, 4.0]


def test_a_queue_that_cannot_be_looked_at_does_not_keep_a_sweep_from_stopping(site: Site, tmp_path: Path):
    pauses: list[float] = []
    slurm = replace(opened(plan_of(tmp_path, QUICK)), sleep=pauses.append)
    site.fail("squeue", BUSY, times=3)
    slurm.stop()
    assert pauses == [1.0, 1.0, 1.0]


def test_a_sweep_that_begins_waits_for_a_controller_that_is_too_busy(site: Site, tmp_path: Path):
    plan = plan_of(tmp_path, QUICK)
    opened(plan).start(plan.runs)
    site.queue("\n".join(site.jobs))
    site.fail("squeue", BUSY, times=2)
    pauses: list[float] = []
    again = SlurmEngine(plan=plan, cache=Path("/cache"), tables=plan.runs[0].folder.path.parent / ".slurm")
    again.sleep = pauses.append
    again.recover()
    assert (pauses, len(again.recovered())) == ([2.0, 4.0], 5)


def test_a_machine_without_slurm_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(EngineMissing, match="sbatch, squeue, scancel"):
        opened(plan_of(tmp_path, QUICK))
