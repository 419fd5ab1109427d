"""The isolation levels of this machine: how to enable the sealed one, and the unsealed one.

An unsealed job runs in a folder of symbolic links, with resource limits but without isolation. The limits are enforced
on honest code, and files and processes are cleaned up after it. A job can read and write everything that this user can,
use the network, and kill its launcher. Runs at this level are marked as unsealed.
"""

import json
import platform
import re
import subprocess
import sys
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from fmlbench.core.errors import SandboxMissing
from fmlbench.core.run import Isolation
from fmlbench.sandbox import reaper
from fmlbench.sandbox.bubblewrap import Bubblewrap, find_bubblewrap, namespace_options
from fmlbench.sandbox.cgroups import remove_stale
from fmlbench.sandbox.launcher import Launch, LauncherPipes
from fmlbench.sandbox.process_setup import (
    SCRATCH,
    check_targets,
    command_of,
    environment_of,
    passed_fds,
    working_folder_of,
)
from fmlbench.sandbox.protocol import Execution, Job, Sandbox
from fmlbench.sandbox.storage import Unmeasurable, measure
from fmlbench.sandbox.supervision import LaunchSpec, infra, supervise
from fmlbench.sandbox.system_mounts import proc_guards, system_mounts
from fmlbench.workspace.files import remove_folder

_PROBE_SECONDS = 60
_INSTALL = {
    "debian": "sudo apt install",
    "fedora": "sudo dnf install",
    "rhel": "sudo dnf install",
    "arch": "sudo pacman -S",
    "suse": "sudo zypper install",
    "alpine": "sudo apk add",
}
_APPARMOR = Path("/proc/sys/kernel/apparmor_restrict_unprivileged_userns")
_GPU = re.compile(r"/dev/nvidia(\d+)")


def open_sandbox(isolation: Isolation) -> Sandbox:
    """Return the sandbox of an isolation level, and remove the cgroups of killed harness processes."""
    remove_stale()
    if isolation is Isolation.NONE:
        return Unsealed()
    program = find_bubblewrap()
    problem = why_not_sealed()
    if program is None or problem:
        raise SandboxMissing(f"The sealed sandbox does not work on this machine: {problem}.", hint=how_to_seal())
    return Bubblewrap(program)


def best_isolation() -> Isolation:
    """The best isolation level that this machine supports."""
    return Isolation.NONE if why_not_sealed() else Isolation.BUBBLEWRAP


@lru_cache(maxsize=1)
def why_not_sealed() -> str | None:
    """Why the sealed sandbox does not work, tested by starting it; None if it works."""
    if platform.system() != "Linux":
        return "bubblewrap needs Linux"
    program = find_bubblewrap()
    if program is None:
        return "bubblewrap is not installed"
    options = [*namespace_options(program), *system_mounts(), "--proc", "/proc", *proc_guards(), "--dev", "/dev"]
    try:
        probe = subprocess.run(
            [program, *options, "/bin/sh", "-c", "exit 0"],
            capture_output=True,
            text=True,
            timeout=_PROBE_SECONDS,
            check=False,
            env={},
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"bubblewrap does not work ({error})"
    if probe.returncode == 0:
        return None
    lines = probe.stderr.strip().splitlines() or [f"exit code {probe.returncode}"]
    return f"bubblewrap does not work ({lines[-1].removeprefix('bwrap: ')})"


def how_to_seal() -> str:
    """The command or setting that enables the sealed sandbox on this machine."""
    if platform.system() != "Linux":
        return "Use a Linux machine, or pass --unsealed: the run is then marked as unsealed."
    if find_bubblewrap() is None:
        return f"Install it: {install_command('bubblewrap')}"
    if _APPARMOR.exists() and _APPARMOR.read_text().strip() == "1":
        return "Allow user namespaces: sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0"
    return "Allow user namespaces: sudo sysctl -w user.max_user_namespaces=10000; in a container, run it privileged."


def install_command(package: str) -> str:
    """The command that installs a package of this machine's distribution."""
    try:
        facts = platform.freedesktop_os_release()
    except OSError:
        facts = {}
    names = [facts.get("ID", ""), *facts.get("ID_LIKE", "").split()]
    known = [f"{_INSTALL[name]} {package}" for name in names if name in _INSTALL]
    return known[0] if known else f"sudo apt install {package}, or sudo dnf install {package}"


class Unsealed:
    """Runs each job as an ordinary process, in a separate cgroup if this user may create one."""

    isolation = Isolation.NONE

    def __init__(self, *, use_cgroups: bool = True) -> None:
        self._use_cgroups = use_cgroups

    def run(self, job: Job) -> Execution:
        """Run a job to its end; never raises for what the job does."""
        check_targets(job)
        try:
            return self._run(job)
        except OSError as error:
            return infra(str(error))

    def _run(self, job: Job) -> Execution:
        with linked_root(job) as root:
            config = {
                "command": command_of(job, str(root)),
                "environment": {**environment_of(job, str(root)), "TMPDIR": str(root / SCRATCH)},
            }
            launch = Launch(
                command=_command,
                config=json.dumps(config).encode(),
                environment={},
                working_folder=working_folder_of(job, str(root)),
                pass_fds=passed_fds(job),
            )
            return supervise(
                job,
                LaunchSpec(
                    launch,
                    in_namespace=False,
                    use_cgroup=self._use_cgroups,
                    scratch_bytes=lambda _: _scratch_bytes(root / SCRATCH),
                ),
            )


def _command(ends: LauncherPipes) -> list[str]:
    return [sys.executable, "-I", "-S", reaper.__file__, str(ends.config), str(ends.status), str(ends.start)]


@contextmanager
def linked_root(job: Job) -> Generator[Path]:
    """A folder of links to the job's mounts, next to its log; one that a killed harness left is replaced."""
    root = job.log.absolute().with_name(f"{job.log.name}.root")
    remove_folder(root)
    root.mkdir()
    try:
        (root / SCRATCH).mkdir()
        for mount in job.mounts:
            link = root / mount.target
            link.parent.mkdir(parents=True, exist_ok=True)
            link.symlink_to(mount.source.absolute())
        yield root
    finally:
        remove_folder(root)


def _scratch_bytes(scratch: Path, most_files: int = 1_000_000) -> int:
    """The size of the scratch folder, plus one block for each file, even an empty one."""
    try:
        contents = measure([scratch], at_most_files=most_files)
    except Unmeasurable:
        return sys.maxsize
    return contents.bytes + contents.files * 4096


@dataclass(frozen=True)
class OnGpus:
    """A sandbox without the device files of other runs' GPUs."""

    inner: Sandbox
    gpus: Sequence[int]

    @property
    def isolation(self) -> Isolation:
        """The isolation level of the inner sandbox."""
        return self.inner.isolation

    def run(self, job: Job) -> Execution:
        """Run a job with only this run's GPUs."""
        found = [str(path) for pattern in job.devices for path in sorted(Path("/").glob(pattern.lstrip("/")))]
        return self.inner.run(replace(job, devices=own_devices(found, self.gpus)))


def own_devices(devices: Iterable[str], gpus: Sequence[int]) -> tuple[str, ...]:
    """All devices except other runs' GPUs; control devices that all GPUs share stay."""

    def is_own(device: str) -> bool:
        gpu = _GPU.fullmatch(device)
        return gpu is None or int(gpu[1]) in gpus

    return tuple(filter(is_own, devices))
