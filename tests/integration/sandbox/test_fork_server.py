"""A fork server runs trusted jobs like a sandbox, faster, and leaves no process behind."""

import threading
from collections.abc import Generator
from dataclasses import replace
from pathlib import Path

import pytest

from fmlbench.core.progress import Silent
from fmlbench.engine.variants import Variants
from fmlbench.experiment.prepared_task import PreparedTask
from fmlbench.sandbox.environments import machine_python
from fmlbench.sandbox.fork_server import ForkServer
from fmlbench.sandbox.pipes import Pipe
from fmlbench.sandbox.protocol import ExitKind
from fmlbench.testing.sandboxes.workshop import Workshop, processes_of
from fmlbench.workspace.dirs import Dirs


@pytest.fixture
def server() -> Generator[ForkServer]:
    with ForkServer() as server:
        yield server


@pytest.fixture
def workshop(tmp_path: Path) -> Workshop:
    return Workshop(tmp_path / "job", machine_python())


def test_a_job_finds_its_mounts_arguments_and_environment(server: ForkServer, workshop: Workshop):
    job = workshop.job(
        """
        import os, sys
        from pathlib import Path
        name, root = sys.argv[1:]
        print(name, os.environ["HOME"] == root + "/scratch", Path.cwd().name, __name__)
        (Path(root) / "out" / "written").write_text("here")
        """
    )
    execution = server.run(job)
    assert execution.ending is ExitKind.OK, execution
    assert execution.log_tail.split() == [job.name, "True", "scratch", "__main__"]
    assert (workshop.out / "written").read_text() == "here"
    assert execution.cpu_seconds > 0
    assert execution.peak_memory_mb > 1


@pytest.mark.parametrize(
    ("code", "limits", "ending", "reason"),
    [
        ("raise ValueError('wrong')", {}, ExitKind.CRASHED, "exit code 1: ValueError: wrong"),
        ("import sys; sys.exit(3)", {}, ExitKind.CRASHED, "exit code 3"),
        ("import os; os.kill(os.getpid(), 9)", {}, ExitKind.CRASHED, "killed by SIGKILL"),
        ("while True: pass", {"cpu_seconds": 1}, ExitKind.TIMEOUT, "used more than 1 CPU seconds"),
        ("import time; time.sleep(1000)", {"wall_seconds": 1}, ExitKind.TIMEOUT, "ran for more than 1 seconds"),
    ],
)
def test_reports_how_a_job_ended(
    server: ForkServer, workshop: Workshop, code: str, limits: dict[str, float], ending: ExitKind, reason: str
):
    execution = server.run(workshop.job(code, limits=limits))
    assert (execution.ending, execution.reason) == (ending, reason)
    assert server.run(workshop.job("print('next')")).log_tail == "next\n"


def test_jobs_share_no_state(server: ForkServer, workshop: Workshop):
    server.run(workshop.job("import json, os; json.gone = True; os.environ['LEFT'] = 'x'"))
    execution = server.run(workshop.job("import json, os; print(hasattr(json, 'gone'), 'LEFT' in os.environ)"))
    assert execution.log_tail == "False False\n"


def test_a_job_inherits_the_pipes_it_is_given_and_no_others(server: ForkServer, workshop: Workshop):
    mine, other = Pipe(), Pipe()
    job = workshop.job(
        f"""
        import os
        os.write({mine.writer}, b"hello")
        print([number for number in range(3, 1000) if os.path.exists(f"/proc/self/fd/{{number}}")])
        """,
        pass_fds=(mine.writer,),
    )
    execution = server.run(job)
    assert execution.log_tail == f"[{mine.writer}]\n", execution
    assert Path(f"/proc/self/fd/{mine.reader}").exists()
    mine.close_writer()
    with open(mine.reader, "rb", closefd=False) as received:
        assert received.read() == b"hello"
    mine.close()
    other.close()


def test_a_stopped_job_is_an_infrastructure_failure(server: ForkServer, workshop: Workshop):
    stop = threading.Event()
    threading.Timer(0.5, stop.set).start()
    job = workshop.job("import time; time.sleep(1000)", stop=stop)
    assert server.run(job).ending is ExitKind.INFRA
    assert server.run(workshop.job("print('next')")).log_tail == "next\n"


def test_children_of_a_job_end_with_it(server: ForkServer, workshop: Workshop):
    job = workshop.job(
        """
        import subprocess, sys
        subprocess.Popen([sys.executable, "-c", "import time; time.sleep(1000)", sys.argv[1]])
        """
    )
    assert server.run(job).ending is ExitKind.OK
    assert processes_of(job) == []


@pytest.mark.sandbox
def test_scores_are_those_of_the_sandbox(toy: PreparedTask, dirs: Dirs, server: ForkServer):
    sealed = Variants(toy, dirs, Silent()).measure("baseline", 2)
    forked = Variants(replace(toy, sandbox=server), dirs, Silent()).measure("baseline", 2)
    assert (forked.validation, forked.test) == (sealed.validation, sealed.test)
