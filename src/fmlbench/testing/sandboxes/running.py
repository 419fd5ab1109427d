"""Jobs run as described, and their endings are reported correctly."""

import os
import signal
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from fmlbench.sandbox.environments import machine_python
from fmlbench.sandbox.protocol import ExitKind, Mount, Sandbox
from fmlbench.testing.sandboxes.workshop import Workshop, processes_of, wait_until


class SandboxTests:
    """What the suites have in common: a sandbox, which heirs provide, and a workshop in a folder with spaces."""

    @pytest.fixture
    def sandbox(self) -> Sandbox:
        raise NotImplementedError

    @pytest.fixture
    def workshop(self, tmp_path: Path) -> Workshop:
        return Workshop(tmp_path / "a folder with spaces", machine_python())


class RunsJobs(SandboxTests):
    """Jobs run as they were described."""

    def test_a_script_gets_its_arguments_and_last_its_root(self, sandbox: Sandbox, workshop: Workshop) -> None:
        code = """
            import sys, pathlib
            pathlib.Path(sys.argv[-1], "out", "seen").write_text("|".join(sys.argv[1:-1]))
        """
        execution = sandbox.run(replace(workshop.job(code), arguments=("first", "two words")))
        assert (execution.ending, execution.exit_code, execution.reason) == (ExitKind.OK, 0, "")
        assert (workshop.out / "seen").read_text() == "first|two words"

    def test_a_job_sees_its_mounts(self, sandbox: Sandbox, workshop: Workshop) -> None:
        (workshop.folder / "some numbers").mkdir()
        (workshop.folder / "some numbers" / "one.txt").write_text("1")
        (workshop.folder / "facts.json").write_text("{}")
        code = """
            import sys, pathlib
            root = pathlib.Path(sys.argv[-1])
            print((root / "data/part/one.txt").read_text(), (root / "facts.json").read_text())
        """
        mounts = (
            Mount(workshop.folder / "some numbers", "data/part"),
            Mount(workshop.folder / "facts.json", "facts.json"),
        )
        assert sandbox.run(workshop.job(code, mounts=mounts)).log_tail == "1 {}\n"

    def test_mounts_must_not_cover_each_other(self, sandbox: Sandbox, workshop: Workshop) -> None:
        for target in ("out", "out/inner", "tmp/x", "../up", "/absolute", ""):
            with pytest.raises(ValueError, match=r"not a valid mount target|covers another"):
                sandbox.run(workshop.job("", mounts=(Mount(workshop.folder, target),)))

    def test_a_job_starts_in_an_empty_scratch_folder_that_is_gone_afterwards(
        self, sandbox: Sandbox, workshop: Workshop
    ) -> None:
        code = """
            import os, pathlib
            assert os.listdir() == []
            pathlib.Path("note").write_text("x")
        """
        for _ in range(2):
            assert sandbox.run(workshop.job(code)).ending is ExitKind.OK
        assert sorted(path.name for path in workshop.folder.iterdir()) == ["log.txt", "out", "task"]

    def test_modules_are_imported_from_the_import_path(self, sandbox: Sandbox, workshop: Workshop) -> None:
        (workshop.folder / "repo").mkdir()
        (workshop.folder / "repo" / "method.py").write_text("NAME = 'prototypes'")
        mounts = (Mount(workshop.folder / "repo", "repo"),)
        job = workshop.job("import method; print(method.NAME)", mounts=mounts, import_path=("repo",))
        assert sandbox.run(job).log_tail == "prototypes\n"
        alone = sandbox.run(replace(job, isolated=True))
        assert (alone.ending, "ModuleNotFoundError" in alone.reason) == (ExitKind.CRASHED, True)

    def test_the_environment_is_the_same_everywhere_and_holds_no_secrets(
        self, sandbox: Sandbox, workshop: Workshop, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("MODEL_API_KEY", "a very secret key")
        code = """
            import os, pathlib
            print(os.environ["OMP_NUM_THREADS"], hash("a"), os.environ["HOME"] == os.getcwd())
            for place in ("/proc/self/environ", f"/proc/{os.getppid()}/environ"):
                try:
                    print(pathlib.Path(place).read_text())
                except OSError:
                    pass
        """
        job = workshop.job(code, threads=3)
        first, second = sandbox.run(job), sandbox.run(job)
        assert first.log_tail.startswith("3 ")
        assert first.log_tail.splitlines()[0].endswith(" True")
        assert "very secret" not in first.log_tail
        assert first.log_tail == second.log_tail

    def test_only_the_handles_that_were_passed_are_open(self, sandbox: Sandbox, workshop: Workshop) -> None:
        ours, theirs = os.pipe()
        code = f"""
            import os
            for handle in range(4096):
                try:
                    os.fstat(handle)
                    print(handle)
                except OSError:
                    pass
            os.write({theirs}, b"hello")
            print(os.read(0, 1))
        """
        try:
            execution = sandbox.run(workshop.job(code, pass_fds=(theirs,)))
            assert os.read(ours, 10) == b"hello"
        finally:
            os.close(ours)
            os.close(theirs)
        assert execution.log_tail.split() == ["0", "1", "2", str(theirs), "b''"]

    def test_several_jobs_run_at_once(self, sandbox: Sandbox, workshop: Workshop) -> None:
        job = workshop.job("import sys; print(sys.argv[1])")
        jobs = [replace(job, name=f"{job.name}-{n}", log=workshop.folder / f"{n}.txt") for n in range(4)]
        jobs = [replace(job, arguments=(job.name,)) for job in jobs]
        with ThreadPoolExecutor(4) as pool:
            executions = list(pool.map(sandbox.run, jobs))
        assert [execution.log_tail.strip() for execution in executions] == [job.name for job in jobs]

    def test_what_was_used_is_measured(self, sandbox: Sandbox, workshop: Workshop) -> None:
        code = """
            import time
            ballast = bytearray(b"x") * (100 * 2**20)
            while time.process_time() < 1.0:
                pass
        """
        execution = sandbox.run(workshop.job(code))
        assert execution.ending is ExitKind.OK
        assert 0.7 < execution.cpu_seconds < 3.0
        assert 95 < execution.peak_memory_mb < 200
        assert execution.seconds > 0.5

    def test_a_traceback_is_a_crash_with_its_last_line_as_the_reason(
        self, sandbox: Sandbox, workshop: Workshop
    ) -> None:
        execution = sandbox.run(workshop.job("1 / 0"))
        assert (execution.ending, execution.exit_code) == (ExitKind.CRASHED, 1)
        assert execution.reason == "exit code 1: ZeroDivisionError: division by zero"
        assert "Traceback" in execution.log_tail

    def test_death_by_a_signal_is_a_crash(self, sandbox: Sandbox, workshop: Workshop) -> None:
        for number in (signal.SIGSEGV, signal.SIGKILL):
            execution = sandbox.run(workshop.job(f"import os; os.kill(os.getpid(), {int(number)})"))
            assert (execution.ending, execution.reason) == (ExitKind.CRASHED, f"killed by {number.name}")

    def test_a_part_that_is_missing_is_not_the_jobs_fault(self, sandbox: Sandbox, workshop: Workshop) -> None:
        missing = Mount(workshop.folder / "nowhere", "data")
        execution = sandbox.run(workshop.job("", mounts=(missing,)))
        assert execution.ending is ExitKind.INFRA
        assert "nowhere" in execution.reason
        python = replace(workshop.python, executable=Path("/no/python"))
        assert sandbox.run(workshop.job("", python=python)).ending is ExitKind.INFRA

    def test_a_log_that_cannot_be_written_is_not_the_jobs_fault(self, sandbox: Sandbox, workshop: Workshop) -> None:
        for log in (workshop.out, workshop.folder / "nowhere" / "log.txt", Path("/dev/full")):
            assert sandbox.run(workshop.job("print(1)", log=log)).ending is ExitKind.INFRA

    def test_a_sandbox_killed_from_outside_is_an_infrastructure_failure(
        self, sandbox: Sandbox, workshop: Workshop
    ) -> None:
        job = workshop.job("import sys, time; open(sys.argv[-1] + '/out/begun', 'w'); time.sleep(1000)")
        before = _children()

        def kill() -> None:
            wait_until((workshop.out / "begun").exists)
            for pid in _children() - before:
                os.kill(pid, signal.SIGKILL)

        killer = threading.Thread(target=kill)
        killer.start()
        execution = sandbox.run(job)
        killer.join()
        for pid in processes_of(job):  # An unsealed job may outlive its launcher.
            os.kill(pid, signal.SIGKILL)
        assert (execution.ending, execution.exit_code) == (ExitKind.INFRA, None)
        assert "killed by SIGKILL" in execution.reason


def _children() -> set[int]:
    listings = Path("/proc/self/task").glob("*/children")
    return {int(pid) for listing in listings for pid in listing.read_text().split()}
