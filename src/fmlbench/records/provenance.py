"""The provenance of a result: versions, hashes and the machine."""

import os
import platform
from pathlib import Path

from fmlbench import __version__
from fmlbench.core.record import Record


class Provenance(Record):
    """The facts that others need to assess or repeat a run."""

    fmlbench: str
    python: str
    platform: str
    processor: str
    cores: int
    memory_mb: int
    environment: str
    """The task's Python environment: its name and the hash of its pinned requirements."""
    sandbox: str
    secret: str
    """A fingerprint of the secret that determines the samples on this machine."""


def describe_machine(*, environment: str, sandbox: str, secret: str) -> Provenance:
    """Collect the provenance of a run that starts on this machine."""
    return Provenance(
        fmlbench=__version__,
        python=platform.python_version(),
        platform=f"{platform.system()} {platform.release()} {platform.machine()}",
        processor=processor_name(),
        cores=os.cpu_count() or 1,
        memory_mb=os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2**20,
        environment=environment,
        sandbox=sandbox,
        secret=secret,
    )


def processor_name() -> str:
    """The processor's name from /proc/cpuinfo, or the architecture."""
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    except OSError:
        return platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()
