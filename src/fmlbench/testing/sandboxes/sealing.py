"""A sealed job reaches nothing but its mounts, whatever it tries."""

import os
import socket
from pathlib import Path

import pytest

from fmlbench.sandbox.protocol import ExitKind, Mount, Sandbox
from fmlbench.testing.sandboxes.running import SandboxTests
from fmlbench.testing.sandboxes.workshop import Workshop

_PRELUDE = """
import ctypes, os, socket, sys
from pathlib import Path
libc = ctypes.CDLL(None, use_errno=True)

def attempt(act):
    try:
        print("GIVEN", act())
    except OSError as error:
        print("refused", error)

def system(name, *arguments):
    if libc[name](*arguments) == -1:
        raise OSError(ctypes.get_errno(), name)
"""


def _attempts(*acts: str, before: str = "") -> str:
    return _PRELUDE + before + "\n" + "\n".join(f"attempt(lambda: {act})" for act in acts)


def _refused(
    sandbox: Sandbox, workshop: Workshop, *acts: str, before: str = "", mounts: tuple[Mount, ...] = ()
) -> None:
    """Check that each act fails with an error of the operating system."""
    execution = sandbox.run(workshop.job(_attempts(*acts, before=before), mounts=mounts))
    lines = execution.log_tail.splitlines()
    assert execution.ending is ExitKind.OK, execution
    assert [line for line in lines if not line.startswith("refused")] == []
    assert len(lines) == len(acts)


class Seals(SandboxTests):
    """What only walls can promise."""

    def test_files_that_are_not_mounted_are_out_of_sight(self, sandbox: Sandbox, workshop: Workshop) -> None:
        labels = workshop.folder / "labels.txt"
        labels.write_text("the labels")
        (workshop.out / "link").symlink_to(labels)
        _refused(
            sandbox,
            workshop,
            f"Path({str(labels)!r}).read_text()",
            "Path('/out/link').read_text()",
            "Path('/task/../../labels.txt').read_text()",
            f"Path('/proc/1/root' + {str(labels)!r}).read_text()",
            f"Path('/proc/1/cwd' + {str(labels)!r}).read_text()",
            f"Path('/proc/{os.getpid()}/root' + {str(labels)!r}).read_text()",
            f"os.link({str(labels)!r}, '/out/hard')",
            "os.listdir('/sys')",
            "os.listdir('/home')",
            "os.listdir('/usr/share')",
            "os.listdir('/usr/local')",
        )

    def test_folders_above_a_mount_show_nothing_else(self, sandbox: Sandbox, workshop: Workshop) -> None:
        code = """
            import os, sys
            top = os.listdir("/")
            for path in sys.argv[2:-1]:
                folder = os.path.dirname(path)
                while folder != "/" and not folder.startswith(("/usr/bin", "/usr/lib")):
                    print(folder, os.listdir(folder))
                    folder = os.path.dirname(folder)
        """
        folders = [str(folder) for folder in workshop.python.folders]
        job = workshop.job(code)
        execution = sandbox.run(workshop.job(code, arguments=(*job.arguments, *folders)))
        shown = {part for folder in folders for part in Path(folder).parts} | {"bin", "lib", "lib64", "locale"}
        for line in execution.log_tail.splitlines():
            names = set(line.split(" ", 1)[1].strip("[]").replace("'", "").split(", "))
            assert names <= shown, line

    def test_packages_of_the_machines_python_are_hidden(self, sandbox: Sandbox, workshop: Workshop) -> None:
        code = "import os, sys\nfor path in sys.argv[2:-1]: print(os.listdir(path))"
        hidden = [str(folder) for folder in workshop.python.hidden]
        job = workshop.job(code, arguments=("x", *hidden))
        assert set(sandbox.run(job).log_tail.splitlines()) <= {"[]"}

    def test_nothing_can_be_written_but_what_is_writable(self, sandbox: Sandbox, workshop: Workshop) -> None:
        (workshop.folder / "data").mkdir()
        (workshop.folder / "data" / "x").write_text("1")
        python = str(workshop.python.executable)
        _refused(
            sandbox,
            workshop,
            "Path('/task/driver.py').write_text('')",
            "Path('/task/new').write_text('')",
            "os.chmod('/task/driver.py', 0o777)",
            "os.rename('/task', '/task2')",
            "os.unlink('/data/x')",
            "os.utime('/data/x')",
            "os.setxattr('/data/x', 'user.note', b'1')",
            "os.rmdir('/out')",
            "Path('/new').write_text('')",
            "os.mkdir('/usr/bin/new')",
            "Path('/dev/new').write_text('')",
            "Path('/etc/passwd').write_text('')",
            f"Path({python!r}).write_text('')",
            f"os.chmod({python!r}, 0)",
            "system('mount', b'none', b'/task', b'tmpfs', 0, None)",
            "system('mount', b'none', b'/task', None, 32 | 4096, None)",
            "system('umount2', b'/task', 2)",
            "os.mknod('/out/device', 0o60666, os.makedev(254, 0))",
            mounts=(Mount(workshop.folder / "data", "data"),),
        )

    def test_these_are_all_the_places_that_can_be_written_to(self, sandbox: Sandbox, workshop: Workshop) -> None:
        code = """
            for line in open("/proc/self/mounts"):
                _, place, kind, options, *_ = line.split()
                if "rw" in options.split(",") and kind not in {"devtmpfs", "devpts"} and place != "/proc":
                    print(place)
        """
        dirs = set(sandbox.run(workshop.job(code)).log_tail.split())
        assert dirs - {f"/dev/{name}" for name in ("null", "zero", "full", "random", "urandom", "tty")} == {
            "/out",
            "/scratch",
            "/tmp",  # noqa: S108
            "/dev/shm",  # noqa: S108
        }

    def test_the_machines_settings_cannot_be_changed(self, sandbox: Sandbox, workshop: Workshop) -> None:
        # Opening is enough to know, and harmless should it succeed.
        names = ("kernel/core_pattern", "kernel/hostname", "vm/overcommit_memory", "vm/drop_caches", "fs/file-max")
        _refused(
            sandbox,
            workshop,
            *(f"os.open('/proc/sys/{name}', os.O_WRONLY)" for name in names),
            "os.open('/proc/sysrq-trigger', os.O_WRONLY)",
            "os.open('/proc/kcore', os.O_RDONLY)",
            "os.open('/dev/mem', os.O_RDONLY)",
        )

    def test_shared_devices_stay_as_they_were(self, sandbox: Sandbox, workshop: Workshop) -> None:
        before = Path("/dev/full").stat().st_mode
        sandbox.run(workshop.job("import os; os.chmod('/dev/full', 0o600)"))
        assert Path("/dev/full").stat().st_mode == before

    def test_command_lines_do_not_tell_where_mounts_come_from(self, sandbox: Sandbox, workshop: Workshop) -> None:
        code = "import glob\nfor path in glob.glob('/proc/[0-9]*/cmdline'): print(open(path).read())"
        execution = sandbox.run(workshop.job(code))
        assert "driver.py" in execution.log_tail
        assert workshop.folder.name not in execution.log_tail

    def test_there_is_no_network(self, sandbox: Sandbox, workshop: Workshop) -> None:
        with socket.create_server(("127.0.0.1", 0)) as server, socket.socket(socket.AF_UNIX) as abstract:
            name = f"\0fmlbench-{os.getpid()}"
            abstract.bind(name)
            abstract.listen()
            with socket.socket(socket.AF_UNIX) as on_disk:
                on_disk.bind("/tmp/" + name[1:])  # noqa: S108 - the path of a socket must be short
                on_disk.listen()
                try:
                    _refused(
                        sandbox,
                        workshop,
                        f"socket.create_connection(('127.0.0.1', {server.getsockname()[1]}), 5)",
                        "socket.create_connection(('192.0.2.1', 80), 5)",
                        "socket.getaddrinfo('example.org', 80)",
                        f"socket.socket(socket.AF_UNIX).connect({name!r})",
                        f"socket.socket(socket.AF_UNIX).connect({'/tmp/' + name[1:]!r})",  # noqa: S108
                    )
                finally:
                    Path("/tmp/" + name[1:]).unlink()  # noqa: S108

    def test_a_job_has_no_user_and_sees_no_other_processes(self, sandbox: Sandbox, workshop: Workshop) -> None:
        code = """
            import os, re
            status = open("/proc/self/status").read()
            capabilities = re.findall(r"Cap(?:Eff|Prm|Bnd):\\s+0*(\\w)\\b", status)
            print(os.getuid(), os.getgid(), os.uname().nodename, *capabilities)
            print(*sorted(int(name) for name in os.listdir("/proc") if name.isdigit()))
            print({line.split(":")[2] for line in open("/proc/self/cgroup").read().split()})
        """
        assert sandbox.run(workshop.job(code)).log_tail.splitlines() == ["1000 1000 sandbox 0 0 0", "1 2", "{'/'}"]

    def test_no_further_namespaces(self, sandbox: Sandbox, workshop: Workshop) -> None:
        flags = {"user": 0x10000000, "mount": 0x20000, "pid": 0x20000000, "network": 0x40000000}
        _refused(sandbox, workshop, *(f"system('unshare', {flag})" for flag in flags.values()))

    def test_other_processes_cannot_be_touched(self, sandbox: Sandbox, workshop: Workshop) -> None:
        ours = os.getpid()
        _refused(
            sandbox,
            workshop,
            f"system('ptrace', 16, {ours}, 0, 0)",
            f"os.kill({ours}, 0)",
            f"open('/proc/{ours}/mem', 'rb')",
            f"os.setpriority(os.PRIO_PROCESS, {ours}, 19)",
        )

    @pytest.mark.parametrize("victims", ["[-1]", "range(2, 70_000)"], ids=["at once", "one by one"])
    def test_a_job_that_kills_all_it_sees_kills_only_itself(
        self, sandbox: Sandbox, workshop: Workshop, victims: str
    ) -> None:
        code = f"""
            import os
            child = os.fork()
            if child == 0:
                import time
                time.sleep(1000)
            for pid in {victims}:
                if pid != os.getpid():
                    try:
                        os.kill(pid, 9)
                    except OSError:
                        pass
            print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        """
        execution = sandbox.run(workshop.job(code))
        assert (execution.ending, execution.log_tail) == (ExitKind.OK, "-9\n")
