"""Jobs that want too much are ended, with a reason that says of what."""

import re
from pathlib import Path

import pytest

from fmlbench.sandbox.pipes import HEAD_BYTES, TAIL_BYTES
from fmlbench.sandbox.protocol import ExitKind, Sandbox
from fmlbench.testing.sandboxes.running import SandboxTests
from fmlbench.testing.sandboxes.workshop import Workshop, leftovers_of

_BUSY = """
    import os
    for _ in range({processes} - 1):
        if os.fork() == 0:
            break
    while True:
        pass
"""

_EATING_ALONE = """
    eaten = []
    while True:
        eaten.append(bytearray(b"x") * (10 * 2**20))
"""

# Each for itself stays below the limit.
_EATING_TOGETHER = """
    import os, sys, time
    children = []
    for _ in range(6):
        child = os.fork()
        if child == 0:
            eaten = bytearray(b"x") * (60 * 2**20)
            time.sleep(1000)
        children.append(child)
    sys.exit(max(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) != 0 for child in children))
"""

_FILLING = {
    "one file": """
        with open("{out}/one", "wb") as file:
            while True:
                file.write(bytes(2**20))
    """,
    "one file that was written before anybody could look": """
        with open("{out}/one", "wb") as file:
            file.write(bytes(9 * 2**20))
    """,
    "a hole": """
        import os
        os.truncate(os.open("{out}/hole", os.O_CREAT | os.O_WRONLY), 9 * 2**20)
    """,
    "many files": """
        n = 0
        while True:
            n += 1
            with open("{out}/%d" % n, "wb") as file:
                file.write(bytes(2**16))
    """,
    "files without a name": """
        import os, time
        files = []
        for n in range(40):
            files.append(open("{out}/file", "wb"))
            files[-1].write(bytes(2**19))
            files[-1].flush()
            os.unlink("{out}/file")
        time.sleep(1000)
    """,
}


class HoldsLimits(SandboxTests):
    """Limits are enforced, each with a distinct reason."""

    @pytest.mark.parametrize("processes", [1, 3])
    def test_cpu_seconds_of_all_processes_together(self, sandbox: Sandbox, workshop: Workshop, processes: int) -> None:
        job = workshop.job(_BUSY.format(processes=processes), limits={"cpu_seconds": 1.5})
        execution = sandbox.run(job)
        assert (execution.ending, execution.reason) == (ExitKind.TIMEOUT, "used more than 1.5 CPU seconds")
        assert 1.5 <= execution.cpu_seconds < 6
        assert leftovers_of(job) == []

    def test_sleeping_for_ever(self, sandbox: Sandbox, workshop: Workshop) -> None:
        execution = sandbox.run(workshop.job("import time; time.sleep(1000)", limits={"wall_seconds": 0.5}))
        assert (execution.ending, execution.reason) == (ExitKind.TIMEOUT, "ran for more than 0.5 seconds")

    @pytest.mark.parametrize("code", [_EATING_ALONE, _EATING_TOGETHER], ids=["alone", "together"])
    def test_memory_of_all_processes_together(self, sandbox: Sandbox, workshop: Workshop, code: str) -> None:
        job = workshop.job(code, limits={"memory_mb": 200})
        execution = sandbox.run(job)
        assert (execution.ending, execution.reason) == (ExitKind.OUT_OF_MEMORY, "used more than 200 MB of memory")
        assert leftovers_of(job) == []

    def test_memory_that_forked_workers_share_counts_once(self, sandbox: Sandbox, workshop: Workshop) -> None:
        code = """
            import os, time
            shared = bytearray(b"x") * (80 * 2**20)
            for _ in range(4):
                if os.fork() == 0:
                    time.sleep(1)
                    os._exit(0)
            for _ in range(4):
                os.wait()
        """
        assert sandbox.run(workshop.job(code, limits={"memory_mb": 200})).ending is ExitKind.OK

    def test_memory_in_files_that_lie_nowhere(self, sandbox: Sandbox, workshop: Workshop) -> None:
        code = """
            import os
            while True:
                os.write(os.memfd_create("x"), bytes(5 * 2**20))
        """
        limits = {"memory_mb": 100, "scratch_mb": 8, "disk_mb": 8}
        execution = sandbox.run(workshop.job(code, limits=limits))
        assert execution.ending is ExitKind.OUT_OF_MEMORY

    @pytest.mark.parametrize("how", _FILLING)
    def test_disk(self, sandbox: Sandbox, workshop: Workshop, how: str) -> None:
        job = workshop.job(_FILLING[how].format(out="out"), limits={"disk_mb": 8}, working_folder=".")
        execution = sandbox.run(job)
        assert execution.ending is ExitKind.TOO_MUCH_DISK, execution
        assert execution.reason == "left more than 8 MB in its writable folders"

    def test_empty_files_and_folders(self, sandbox: Sandbox, workshop: Workshop) -> None:
        for make in ("open(f'out/{n}', 'w').close()", "os.mkdir(f'out/{n}')", "os.symlink('x', f'out/{n}')"):
            code = f"import os, itertools\nfor n in itertools.count(): {make}"
            limits = {"files": 100}
            execution = sandbox.run(workshop.job(code, limits=limits, working_folder="."))
            assert (execution.ending, execution.reason) == (ExitKind.TOO_MUCH_DISK, "left more than 100 files")
            _empty(workshop.out)

    def test_folders_nested_without_end(self, sandbox: Sandbox, workshop: Workshop) -> None:
        code = """
            import os, time
            os.chdir("out")
            for n in range(200):
                os.mkdir("d")
                os.chdir("d")
            time.sleep(1000)
        """
        execution = sandbox.run(workshop.job(code, working_folder="."))
        assert (execution.ending, execution.reason) == (
            ExitKind.TOO_MUCH_DISK,
            "nested folders more than 64 deep",
        )

    def test_a_locked_folder_hides_nothing(self, sandbox: Sandbox, workshop: Workshop) -> None:
        code = """
            import os, time
            os.mkdir("out/locked")
            with open("out/locked/big", "wb") as file:
                file.write(bytes(9 * 2**20))
            os.chmod("out/locked", 0)
        """
        execution = sandbox.run(workshop.job(code, limits={"disk_mb": 8}, working_folder="."))
        (workshop.out / "locked").chmod(0o700)
        assert execution.ending is ExitKind.TOO_MUCH_DISK

    def test_links_are_not_followed_when_disk_is_measured(self, sandbox: Sandbox, workshop: Workshop) -> None:
        (workshop.folder / "big").write_bytes(bytes(20 * 2**20))
        code = f"""
            import os, time
            os.symlink({str(workshop.folder)!r}, "out/folder")
            os.symlink({str(workshop.folder / "big")!r}, "out/file")
            os.symlink("/", "out/root")
            time.sleep(0.3)
        """
        execution = sandbox.run(workshop.job(code, limits={"disk_mb": 8, "files": 10}, working_folder="."))
        assert execution.ending is ExitKind.OK

    def test_scratch_space(self, sandbox: Sandbox, workshop: Workshop) -> None:
        code = """
            import tempfile
            files = [tempfile.NamedTemporaryFile(dir=folder) for folder in (".", None)]
            while True:
                for file in files:
                    file.write(bytes(2**18))
        """
        execution = sandbox.run(workshop.job(code, limits={"scratch_mb": 8}))
        assert execution.ending in {ExitKind.TOO_MUCH_DISK, ExitKind.CRASHED}
        assert re.search("8 MB of scratch space|No space left on device", execution.reason), execution

    def test_a_fork_bomb(self, sandbox: Sandbox, workshop: Workshop) -> None:
        # Bombs of 500: where the kernel does not limit the processes of root, one without end could end the machine.
        code = """
            import os, time
            for _ in range(9):
                try:
                    os.fork()
                except OSError:
                    pass
            open(f"out/{os.getpid()}", "w").close()
            time.sleep(1000)
        """
        job = workshop.job(code, limits={"processes": 30, "wall_seconds": 4}, working_folder=".")
        execution = sandbox.run(job)
        if execution.reason != "had more than 30 processes and threads at once":
            assert execution.ending is ExitKind.TIMEOUT
            assert 20 < len(list(workshop.out.iterdir())) < 40
        assert leftovers_of(job) == []

    def test_output_without_end_is_kept_within_bounds(self, sandbox: Sandbox, workshop: Workshop) -> None:
        code = """
            import sys
            print("the beginning")
            line = b"x" * 99 + b"\\n"
            for _ in range(200):
                sys.stdout.buffer.write(line * 10_000)
            print("the end")
        """
        before = _reset_peak_memory()
        execution = sandbox.run(workshop.job(code))
        assert _peak_memory() - before < 20 * 2**20
        assert (execution.ending, execution.log_tail[-8:]) == (ExitKind.OK, "the end\n")
        assert len(execution.log_tail) == 4000
        log = workshop.log.read_bytes()
        assert log.startswith(b"the beginning\n")
        assert log.endswith(b"the end\n")
        left_out = 14 + 200_000_000 + 8 - HEAD_BYTES - TAIL_BYTES
        assert f"\n[... {left_out} bytes left out ...]\n".encode() in log
        assert len(log) < HEAD_BYTES + TAIL_BYTES + 100


def _empty(folder: Path) -> None:
    for path in folder.iterdir():
        if path.is_dir() and not path.is_symlink():
            path.rmdir()
        else:
            path.unlink()


def _reset_peak_memory() -> int:
    Path("/proc/self/clear_refs").write_text("5")
    return _peak_memory()


def _peak_memory() -> int:
    status = Path("/proc/self/status").read_text()
    return 1024 * int(status.split("VmHWM:")[1].split()[0])
