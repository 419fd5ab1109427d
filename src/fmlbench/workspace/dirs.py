"""The cache and runs folders on this machine.

cache/
  secret          the key from which the seeds of all samples are derived
  downloads/      unchanged archives, by checksum
  materials/      unpacked and patched codebases and data, read-only
  environments/   the Python environments of tasks
  splits/         train, validation and test splits of tasks
  samples/        samples that a seed takes from the splits
  baselines/      retests of the baseline
  checks/         measurements of task checks
  programs/       installed agent programs
  models/         files of local language models
  embeddings/     vectors of code, by embedder
runs/
  RUN/            one folder per run
"""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Dirs:
    """The paths of the cache and runs folders and their parts."""

    cache: Path
    runs: Path

    @property
    def downloads(self) -> Path:
        """Unchanged archives, by checksum."""
        return self.cache / "downloads"

    @property
    def materials(self) -> Path:
        """Unpacked and patched codebases and data."""
        return self.cache / "materials"

    @property
    def environments(self) -> Path:
        """The Python environments of tasks."""
        return self.cache / "environments"

    @property
    def splits(self) -> Path:
        """Train, validation and test splits of tasks."""
        return self.cache / "splits"

    @property
    def samples(self) -> Path:
        """Samples that a seed takes from the splits."""
        return self.cache / "samples"

    @property
    def baselines(self) -> Path:
        """Retests of baselines, by task, track and machine."""
        return self.cache / "baselines"

    @property
    def programs(self) -> Path:
        """Installed agent programs."""
        return self.cache / "programs"

    @property
    def models(self) -> Path:
        """Files of local language models."""
        return self.cache / "models"

    @property
    def checks(self) -> Path:
        """Measurements of task checks."""
        return self.cache / "checks"

    @property
    def embeddings(self) -> Path:
        """Vectors of code, by embedder."""
        return self.cache / "embeddings"
