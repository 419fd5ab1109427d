"""Show candidates only the GPUs that their run was given, where several runs share a machine."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from fmlbench.core.run import Isolation
from fmlbench.sandbox.protocol import Execution, Job, Sandbox

_GPU = re.compile(r"/dev/nvidia(\d+)")


@dataclass(frozen=True)
class OnGpus:
    """A sandbox in which other runs' GPUs are not to be seen."""

    inner: Sandbox
    gpus: Sequence[int]

    @property
    def isolation(self) -> Isolation:
        """How candidates are held."""
        return self.inner.isolation

    def run(self, job: Job) -> Execution:
        """Run a job with this run's GPUs alone."""
        found = [str(path) for pattern in job.devices for path in sorted(Path("/").glob(pattern.lstrip("/")))]
        return self.inner.run(replace(job, devices=own_devices(found, self.gpus)))


def own_devices(devices: Iterable[str], gpus: Sequence[int]) -> tuple[str, ...]:
    """All devices but the GPUs of others; what steers all GPUs together stays."""

    def is_own(device: str) -> bool:
        gpu = _GPU.fullmatch(device)
        return gpu is None or int(gpu[1]) in gpus

    return tuple(filter(is_own, devices))
