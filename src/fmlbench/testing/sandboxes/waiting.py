"""A job can get ready before its turn; its limits count from its turn, and a job that is not wanted leaves nothing."""

import textwrap
import time
import uuid
from collections.abc import Mapping
from dataclasses import replace

from fmlbench.experiment.pipeline import StagePipeline
from fmlbench.experiment.prepared_task import KIT
from fmlbench.sandbox.protocol import ExitKind, Job, Mount, Sandbox
from fmlbench.testing.sandboxes.running import SandboxTests
from fmlbench.testing.sandboxes.workshop import Workshop, leftovers_of, processes_of, start_harness, wait_until

_MARK = "import pathlib, sys; pathlib.Path(sys.argv[-1], 'out', 'begun').touch()"
_HARNESS = """
import pickle, sys, time
from fmlbench.experiment.pipeline import StagePipeline
sandbox, job = pickle.load(sys.stdin.buffer)
pipeline = StagePipeline(sandbox, ahead=True)
pipeline.prefetch(job)
time.sleep(1000)
"""
_SECONDS_TO_GET_READY = 0.5
"""Long enough, on most machines, to import what there is; where it is not, the test proves less, and still holds."""


class WaitsForItsTurn(SandboxTests):
    """A job behind a gate."""

    def test_a_job_gets_ready_and_begins_when_it_is_its_turn(self, sandbox: Sandbox, workshop: Workshop) -> None:
        job = _stage(workshop, f"{_MARK}; print(len(sys.argv), __name__, __file__ == sys.argv[0])")
        pipeline = StagePipeline(sandbox, ahead=True)
        pipeline.prefetch(job)
        assert wait_until(lambda: bool(processes_of(job)))
        assert not (workshop.out / "begun").exists()
        execution = pipeline.run(job)
        assert (execution.ending, execution.reason) == (ExitKind.OK, "")
        assert (workshop.out / "begun").exists()
        assert execution.log_tail == sandbox.run(job).log_tail == "2 __main__ True\n"
        assert leftovers_of(job) == []

    def test_nothing_of_the_candidates_is_imported_before_the_turn(self, sandbox: Sandbox, workshop: Workshop) -> None:
        (workshop.folder / "repo").mkdir()
        for name in ("sitecustomize", "usercustomize", "numpy", "torch"):
            (workshop.folder / "repo" / f"{name}.py").write_text(_MARK, "utf-8")
        job = _stage(workshop, "import torch", Mount(workshop.folder / "repo", "repo"))
        pipeline = StagePipeline(sandbox, ahead=True)
        pipeline.prefetch(job)
        assert wait_until(lambda: bool(processes_of(job)))
        time.sleep(_SECONDS_TO_GET_READY)
        assert not (workshop.out / "begun").exists()
        pipeline.run(job)
        assert (workshop.out / "begun").exists(), "a driver does import from the candidate's tree"

    def test_waiting_costs_nothing(self, sandbox: Sandbox, workshop: Workshop) -> None:
        job = _stage(workshop, "", limits={"wall_seconds": 3})
        pipeline = StagePipeline(sandbox, ahead=True)
        pipeline.prefetch(job)
        time.sleep(3.2)
        execution = pipeline.run(job)
        assert (execution.ending, execution.reason) == (ExitKind.OK, "")

    def test_limits_hold_from_the_turn_on(self, sandbox: Sandbox, workshop: Workshop) -> None:
        job = _stage(workshop, "import time; time.sleep(1000)", limits={"wall_seconds": 0.5})
        pipeline = StagePipeline(sandbox, ahead=True)
        pipeline.prefetch(job)
        assert pipeline.run(job).ending is ExitKind.TIMEOUT
        assert leftovers_of(job) == []

    def test_a_job_that_is_not_wanted_ends_and_leaves_nothing(self, sandbox: Sandbox, workshop: Workshop) -> None:
        job = _stage(workshop, _MARK)
        pipeline = StagePipeline(sandbox, ahead=True)
        pipeline.prefetch(job)
        assert wait_until(lambda: bool(processes_of(job)))
        pipeline.close()
        assert leftovers_of(job) == []
        assert not (workshop.out / "begun").exists()

    def test_a_waiting_job_dies_with_its_harness(self, sandbox: Sandbox, workshop: Workshop) -> None:
        job = _stage(workshop, _MARK)
        with start_harness(_HARNESS, sandbox, job) as harness:
            assert wait_until(lambda: bool(processes_of(job)))
            harness.kill()
        assert wait_until(lambda: not processes_of(job))


def _stage(workshop: Workshop, code: str, *mounts: Mount, limits: Mapping[str, float] | None = None) -> Job:
    """A job that begins as stages do; its driver bears its name, so that its processes can be found."""
    name = f"workshop-{uuid.uuid4().hex}"
    driver = workshop.folder / "task" / name
    driver.write_text(textwrap.dedent(code), "utf-8")
    job = workshop.job("", limits=limits, mounts=(Mount(driver, name), Mount(KIT, "kit"), *mounts))
    return replace(job, name=name, script="kit/start.py", arguments=(name,))
