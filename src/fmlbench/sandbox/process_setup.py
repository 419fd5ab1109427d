"""A job's command, environment and resource limits, the same at every isolation level."""

import resource
from pathlib import Path, PurePosixPath

from fmlbench.sandbox.protocol import Job

SCRATCH = "scratch"
USER = "candidate"

RESERVED = {"bin", "dev", "etc", "lib", "lib32", "lib64", "libx32", "proc", "scratch", "sys", "tmp", "usr"}
"""Folders of the sandbox's root that mounts must not use."""
_SPARE_ADDRESS_SPACE_MB = 4096
_OPEN_FILES = 4096


def command_of(job: Job, root: str) -> list[str]:
    """The command line of a job whose root is ``root``."""
    isolated = ["-I"] if job.isolated else []
    script = _below(root, job.script)
    barrier = [str(job.barrier.job_end)] if job.barrier else []
    return [str(job.python.executable), *isolated, "-B", "-u", script, *job.arguments, *barrier, root]


def passed_fds(job: Job) -> tuple[int, ...]:
    """The descriptors that a job inherits besides its standard streams."""
    return (*job.pass_fds, job.barrier.job_end) if job.barrier else job.pass_fds


def environment_of(job: Job, root: str) -> dict[str, str]:
    """The complete environment of a job: no variable of the harness is passed on, and it is the same in every run."""
    threads = str(job.threads)
    return {
        "PATH": "/usr/bin:/bin",
        "HOME": _below(root, SCRATCH),
        "USER": USER,
        "LANG": "C.UTF-8",
        "TZ": "UTC",
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONUNBUFFERED": "1",
        "PYTHONPATH": ":".join(_below(root, folder) for folder in job.import_path),
        "OMP_NUM_THREADS": threads,
        "MKL_NUM_THREADS": threads,
        "OPENBLAS_NUM_THREADS": threads,
    }


def working_folder_of(job: Job, root: str) -> str:
    """The working folder of a job."""
    return _below(root, job.working_folder)


def check_targets(job: Job) -> None:
    """Reject mounts that would cover each other or a system folder: the result would depend on their order."""
    targets = [PurePosixPath(mount.target) for mount in job.mounts]
    for target in targets:
        if target.is_absolute() or not target.parts or ".." in target.parts or target.parts[0] in RESERVED:
            raise ValueError(f"'{target}' is not a valid mount target")
    above = {parent for target in targets for parent in target.parents}
    for target in targets:
        if target in above or targets.count(target) > 1:
            raise ValueError(f"the mount '{target}' covers another mount")


def covered_parts(job: Job) -> list[Path]:
    """Folders of the job's Python that its mounts would hide, for example a Python below /repo."""
    tops = {Path("/") / mount.target for mount in job.mounts}
    return [folder for folder in job.python.folders if not tops.isdisjoint((folder, *folder.parents))]


def missing_parts(job: Job) -> list[Path]:
    """Files that a job needs and that do not exist."""
    parts = [job.python.executable, *job.python.folders, *(mount.source for mount in job.mounts)]
    return [part for part in parts if not part.exists()]


def limit_launcher(pid: int, job: Job, *, in_cgroup: bool) -> None:
    """Set resource limits on the launcher; all processes of the job inherit them.

    The address space is limited only if no cgroup limits memory and the job uses no devices: GPU drivers reserve more
    address space than any machine has memory.
    """
    limits = job.limits
    values = {
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_NOFILE: _OPEN_FILES,
        # Slightly above the disk limit, so that one file that is too big is reported as exceeding that limit.
        resource.RLIMIT_FSIZE: (max(limits.disk_mb, limits.scratch_mb) + 1) * 2**20,
    }
    if not in_cgroup and not job.devices:
        values[resource.RLIMIT_AS] = (2 * limits.memory_mb + _SPARE_ADDRESS_SPACE_MB) * 2**20
    for which, value in values.items():
        _limit(pid, which, value)


def limit_namespace(pid: int, job: Job) -> None:
    """Limit the processes of a sandbox on its first process; outside a user namespace all of our user's would count."""
    _limit(pid, resource.RLIMIT_NPROC, job.limits.processes + 1)


def writable_folders_of(job: Job) -> list[Path]:
    """The folders on this machine's disk that a job can write to."""
    return [mount.source for mount in job.mounts if mount.writable]


def _limit(pid: int, which: int, value: int) -> None:
    _, hard = resource.prlimit(pid, which)
    bound = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.prlimit(pid, which, (bound, bound))


def _below(root: str, path: str) -> str:
    return f"{root.rstrip('/')}/{path}"
