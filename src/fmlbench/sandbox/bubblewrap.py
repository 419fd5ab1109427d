"""The sealed rung: bubblewrap, with nothing in sight but what a job needs.

/                           read-only
  usr/bin, usr/lib, ...     programs and shared libraries of this machine, no packages and no data
  etc/                      a few lines of our own, and what the dynamic linker reads
  proc/  dev/               the job's own; what is not about its own processes is read-only
  scratch/  tmp/  dev/shm/  empty, in memory, gone afterwards
  ...                       the folders of its Python at their own paths, and its mounts

Users, processes, network, shared memory, host name and control groups are the job's own, and end with it.
"""

import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path

from fmlbench.core.run import Isolation
from fmlbench.sandbox.launcher import Launch, LauncherPipes
from fmlbench.sandbox.process_setup import (
    check_targets,
    command_of,
    covered_parts,
    environment_of,
    passed_fds,
    working_folder_of,
)
from fmlbench.sandbox.protocol import Execution, Job, TaskPython
from fmlbench.sandbox.seccomp import open_syscall_filter
from fmlbench.sandbox.supervision import LaunchSpec, infra, supervise
from fmlbench.sandbox.system_mounts import mask, proc_guards, system_mounts

_ROOT = "/"
_IN_MEMORY = ("/scratch", "/tmp", "/dev/shm")  # noqa: S108 - the sandbox's own
_SHARED_DEVICES = tuple(Path("/dev") / name for name in ("null", "zero", "full", "random", "urandom", "tty"))
_LAUNCHER = """
read -r go || exit 1
"$@" </dev/null &
bwrap=$!
{
    read -r end
    # Its child first, which would not die with it while both are still being set up; stopped, it has no others.
    kill -STOP $bwrap
    read -r child </proc/$bwrap/task/$bwrap/children
    kill -KILL $child $bwrap
} </proc/$$/fd/0 2>/dev/null &
watcher=$!
wait $bwrap
code=$?
kill -KILL $watcher
exit $code
"""
_ENVIRONMENT = {"PATH": "/usr/bin:/bin"}
"""Bubblewrap's own, and visible in the sandbox as that of its first process."""


class Bubblewrap:
    """Runs each job in namespaces of its own, and in a cgroup of its own where this user may make one."""

    isolation = Isolation.BUBBLEWRAP

    def __init__(self, program: Path, *, use_cgroups: bool = True) -> None:
        self._program = program
        self._use_cgroups = use_cgroups
        self._device_modes = {device: device.stat().st_mode & 0o777 for device in _SHARED_DEVICES}

    def run(self, job: Job) -> Execution:
        """Run a job to its end; never raises for what the job does."""
        check_targets(job)
        if covered := covered_parts(job):
            return infra(f"'{covered[0]}' lies where a job has a folder of its own; FMLBENCH_CACHE moves it elsewhere")
        try:
            with open_syscall_filter(locks=job.locks) as syscalls:
                launch = self._launch(job, syscalls)
                rig = LaunchSpec(launch, in_namespace=True, use_cgroup=self._use_cgroups, scratch_bytes=_scratch_bytes)
                return supervise(job, rig)
        finally:
            self._give_back_devices()

    def _launch(self, job: Job, syscalls: int | None) -> Launch:
        filtered = ("--seccomp", str(syscalls)) if syscalls is not None else ()
        options = [
            *namespace_options(self._program),
            *filtered,
            *system_mounts(),
            *self._mounts(job),
            *_environment(job),
        ]
        return Launch(
            command=lambda ends: self._command(job, ends),
            orders=b"\0".join(map(os.fsencode, options)),
            environment=_ENVIRONMENT,
            working_folder="/",
            pass_fds=passed_fds(job) if syscalls is None else (*passed_fds(job), syscalls),
        )

    def _give_back_devices(self) -> None:
        """Undo the one thing a job that root started can do to this machine: lock its few shared devices."""
        for device, mode in self._device_modes.items():
            found = device.stat().st_mode & 0o777
            if mode & ~found:
                device.chmod(mode | found)

    def _command(self, job: Job, ends: LauncherPipes) -> list[str]:
        return [
            *("/bin/sh", "-c", _LAUNCHER, "launcher", str(self._program)),
            *("--args", str(ends.orders), "--json-status-fd", str(ends.status), "--block-fd", str(ends.start)),
            *("--", *command_of(job, _ROOT)),
        ]

    def _mounts(self, job: Job) -> Iterator[str]:
        yield from ("--proc", "/proc", *proc_guards(), "--dev", "/dev")
        for folder in _IN_MEMORY:
            # Each may hold it all; that all of them together hold no more is for the watchdog to see.
            yield from (*_size(self._program, job.limits.scratch_mb), "--tmpfs", folder)
        # After /tmp, which they may lie in.
        yield from _python_mounts(job.python)
        for mount in job.mounts:
            yield from ("--bind" if mount.writable else "--ro-bind", str(mount.source), f"/{mount.target}")
        for pattern in job.devices:
            for device in map(str, sorted(Path("/").glob(pattern.lstrip("/")))):
                yield from ("--dev-bind", device, device)
        yield from ("--remount-ro", "/dev", "--remount-ro", "/")
        yield from ("--chdir", working_folder_of(job, _ROOT))


def namespace_options(program: Path) -> list[str]:
    """Options that cut a sandbox off from this machine."""
    return [
        *("--unshare-user", "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup"),
        *(["--disable-userns"] if "--disable-userns" in _help_of(program) else []),
        *("--uid", "1000", "--gid", "1000", "--hostname", "sandbox"),
        *("--cap-drop", "ALL", "--new-session", "--die-with-parent"),
    ]


def find_bubblewrap() -> Path | None:
    """Where the program is installed, if it is."""
    found = shutil.which("bwrap")
    return Path(found) if found else None


def _python_mounts(python: TaskPython) -> Iterator[str]:
    for folder in python.folders:
        yield from ("--ro-bind", str(folder), str(folder))
    for folder in python.hidden:
        yield from mask(folder)


def _environment(job: Job) -> Iterator[str]:
    yield "--clearenv"
    for name, value in environment_of(job, _ROOT).items():
        yield from ("--setenv", name, value)


def _size(program: Path, megabytes: int) -> Sequence[str]:
    return ("--size", str(megabytes * 2**20)) if "--size" in _help_of(program) else ()


@lru_cache(maxsize=8)
def _help_of(program: Path) -> str:
    """Older versions lack some options; which ones is written in their help."""
    return subprocess.run([program, "--help"], capture_output=True, text=True, check=False).stdout


def _scratch_bytes(init: int) -> int:
    """How full the folders in memory are, seen through the eyes of the sandbox's first process."""
    root = Path(f"/proc/{init}/root")
    total = 0
    for folder in _IN_MEMORY:
        try:
            if root.samefile("/"):
                return 0  # The sandbox is still being built.
            facts = os.statvfs(f"{root}{folder}")
        except OSError:
            continue
        # The kernel needs about a kilobyte for each file, be it empty.
        total += (facts.f_blocks - facts.f_bfree) * facts.f_frsize + (facts.f_files - facts.f_ffree) * 1024
    return total
