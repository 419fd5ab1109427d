"""Give candidates access only to the GPUs of their run, if several runs share a machine."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from fmlbench.core.run import Isolation
from fmlbench.sandbox.protocol import Execution, Job, Sandbox

_GPU = re.compile(r"/dev/nvidia(\d+)")


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
