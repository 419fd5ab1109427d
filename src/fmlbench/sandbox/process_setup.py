"""What a job finds when it starts, the same on every rung: its command, its environment, its resource limits."""

import resource
from pathlib import Path, PurePosixPath

from fmlbench.sandbox.protocol import Job

SCRATCH = "scratch"
USER = "candidate"

RESERVED = {"bin", "dev", "etc", "lib", "lib32", "lib64", "libx32", "proc", "scratch", "sys", "tmp", "usr"}
"""Folders of a sandbox's root that are its own."""
_SPARE_ADDRESS_SPACE_MB = 4096
_OPEN_FILES = 4096


def command_of(job: Job, root: str) -> list[str]:
    """The command line of a job whose root is ``root``."""
    isolated = ["-I"] if job.isolated else []
    script = _below(root, job.script)
    gate = [str(job.gate.job_end)] if job.gate else []
    return [str(job.python.executable), *isolated, "-B", "-u", script, *job.arguments, *gate, root]


def passed_fds(job: Job) -> tuple[int, ...]:
    """What a job inherits besides its standard streams."""
    return (*job.pass_fds, job.gate.job_end) if job.gate else job.pass_fds


def environment_of(job: Job, root: str) -> dict[str, str]:
    """The whole environment of a job: nothing of ours is handed on, and nothing differs from run to run."""
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
    """Where a job starts."""
    return _below(root, job.working_folder)


def check_targets(job: Job) -> None:
    """Refuse mounts that would cover each other or a part of the system: what a job sees must not hang on order."""
    targets = [PurePosixPath(mount.target) for mount in job.mounts]
    for target in targets:
        if target.is_absolute() or not target.parts or ".." in target.parts or target.parts[0] in RESERVED:
            raise ValueError(f"'{target}' is no place for a mount")
    above = {parent for target in targets for parent in target.parents}
    for target in targets:
        if target in above or targets.count(target) > 1:
            raise ValueError(f"the mount '{target}' covers another")


def covered_parts(job: Job) -> list[Path]:
    """Parts of the job's Python that would lie hidden under its own mounts: /repo on a machine that has one, say."""
    tops = {Path("/") / mount.target for mount in job.mounts}
    return [folder for folder in job.python.folders if not tops.isdisjoint((folder, *folder.parents))]


def missing_parts(job: Job) -> list[Path]:
    """What a job needs and this machine does not have."""
    parts = [job.python.executable, *job.python.folders, *(mount.source for mount in job.mounts)]
    return [part for part in parts if not part.exists()]


def limit_keeper(pid: int, job: Job, *, in_cgroup: bool) -> None:
    """Set what the kernel limits per process on the one that all of a job will inherit it from.

    Where a cgroup counts memory the address space needs no limit, and with devices it must have none: GPU drivers
    reserve more than any machine has.
    """
    limits = job.limits
    values = {
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_NOFILE: _OPEN_FILES,
        # Just above the limit on the disk: the one file that is too big is then seen as what it is.
        resource.RLIMIT_FSIZE: (max(limits.disk_mb, limits.scratch_mb) + 1) * 2**20,
    }
    if not in_cgroup and not job.devices:
        values[resource.RLIMIT_AS] = (2 * limits.memory_mb + _SPARE_ADDRESS_SPACE_MB) * 2**20
    for which, value in values.items():
        _limit(pid, which, value)


def limit_namespace(pid: int, job: Job) -> None:
    """Limit the processes of a sandbox with users of its own, on its first process: elsewhere all of ours count."""
    _limit(pid, resource.RLIMIT_NPROC, job.limits.processes + 1)


def writable_folders_of(job: Job) -> list[Path]:
    """What of this machine's disk a job can fill."""
    return [mount.source for mount in job.mounts if mount.writable]


def _limit(pid: int, which: int, value: int) -> None:
    _, hard = resource.prlimit(pid, which)
    bound = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.prlimit(pid, which, (bound, bound))


def _below(root: str, path: str) -> str:
    return f"{root.rstrip('/')}/{path}"
