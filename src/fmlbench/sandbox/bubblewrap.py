"""The sealed isolation level: bubblewrap, with only the files that a job needs.

/                           read-only
  usr/bin, usr/lib, ...     programs and shared libraries of this machine, no Python packages and no data
  etc/                      three files of ours, and the configuration of the dynamic linker
  proc/  dev/               private to the job; everything except its own processes is read-only
  scratch/  tmp/  dev/shm/  empty, in memory, deleted afterwards
  ...                       the folders of its Python at their original paths, and its mounts

The user, PID, network, IPC, UTS and cgroup namespaces are private to the job and end with it.
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
    # The child first: during setup it would not die with bubblewrap. A stopped bubblewrap cannot fork another one.
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
"""Bubblewrap's environment; jobs can read it as the environment of the sandbox's first process."""


class Bubblewrap:
    """Runs each job in separate namespaces, and in a separate cgroup if this user may create one."""

    isolation = Isolation.BUBBLEWRAP

    def __init__(self, program: Path, *, use_cgroups: bool = True) -> None:
        self._program = program
        self._use_cgroups = use_cgroups
        self._device_modes = {device: device.stat().st_mode & 0o777 for device in _SHARED_DEVICES}

    def run(self, job: Job) -> Execution:
        """Run a job to its end; never raises for what the job does."""
        check_targets(job)
        if covered := covered_parts(job):
            return infra(f"'{covered[0]}' would be hidden by a mount of the job; set FMLBENCH_CACHE to another folder")
        try:
            with open_syscall_filter(locks=job.locks) as syscalls:
                launch = self._launch(job, syscalls)
                spec = LaunchSpec(launch, in_namespace=True, use_cgroup=self._use_cgroups, scratch_bytes=_scratch_bytes)
                return supervise(job, spec)
        finally:
            self._restore_device_modes()

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
            config=b"\0".join(map(os.fsencode, options)),
            environment=_ENVIRONMENT,
            working_folder="/",
            pass_fds=passed_fds(job) if syscalls is None else (*passed_fds(job), syscalls),
        )

    def _restore_device_modes(self) -> None:
        """Undo chmod on the shared devices: the only change that a job started by root can make to this machine."""
        for device, mode in self._device_modes.items():
            found = device.stat().st_mode & 0o777
            if mode & ~found:
                device.chmod(mode | found)

    def _command(self, job: Job, ends: LauncherPipes) -> list[str]:
        return [
            *("/bin/sh", "-c", _LAUNCHER, "launcher", str(self._program)),
            *("--args", str(ends.config), "--json-status-fd", str(ends.status), "--block-fd", str(ends.start)),
            *("--", *command_of(job, _ROOT)),
        ]

    def _mounts(self, job: Job) -> Iterator[str]:
        yield from ("--proc", "/proc", *proc_guards(), "--dev", "/dev")
        for folder in _IN_MEMORY:
            # Each tmpfs gets the full size; the watchdog enforces the limit on their sum.
            yield from (*_size(self._program, job.limits.scratch_mb), "--tmpfs", folder)
        # After /tmp, because these folders may be inside it.
        yield from _python_mounts(job.python)
        for mount in job.mounts:
            yield from ("--bind" if mount.writable else "--ro-bind", str(mount.source), f"/{mount.target}")
        for pattern in job.devices:
            for device in map(str, sorted(Path("/").glob(pattern.lstrip("/")))):
                yield from ("--dev-bind", device, device)
        yield from ("--remount-ro", "/dev", "--remount-ro", "/")
        yield from ("--chdir", working_folder_of(job, _ROOT))


def namespace_options(program: Path) -> list[str]:
    """Options for private namespaces without capabilities."""
    return [
        *("--unshare-user", "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup"),
        *(["--disable-userns"] if "--disable-userns" in _help_of(program) else []),
        *("--uid", "1000", "--gid", "1000", "--hostname", "sandbox"),
        *("--cap-drop", "ALL", "--new-session", "--die-with-parent"),
    ]


def find_bubblewrap() -> Path | None:
    """The path of the bwrap program; None if it is not installed."""
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
    """The help text of bubblewrap; it shows which options this version supports."""
    return subprocess.run([program, "--help"], capture_output=True, text=True, check=False).stdout


def _scratch_bytes(init: int) -> int:
    """The bytes used in the in-memory folders, read through /proc/INIT/root."""
    root = Path(f"/proc/{init}/root")
    total = 0
    for folder in _IN_MEMORY:
        try:
            if root.samefile("/"):
                return 0  # bubblewrap has not changed the root yet.
            facts = os.statvfs(f"{root}{folder}")
        except OSError:
            continue
        # The kernel uses about a kilobyte for each file, even for an empty one.
        total += (facts.f_blocks - facts.f_bfree) * facts.f_frsize + (facts.f_files - facts.f_ffree) * 1024
    return total
