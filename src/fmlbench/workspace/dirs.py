"""Where things lie on this machine.

cache/
  secret          what the seeds of all draws come from
  downloads/      archives as they came, by checksum
  materials/      unpacked and mended codebases and data, read-only
  environments/   the Pythons tasks run in
  pools/          a task's train, validation and test pools
  draws/          what a seed drew from them
  baselines/      retests of the baseline
  checks/         what checking tasks has measured
  programs/       agents that were installed for runs
  models/         files of language models that run here
  embeddings/     vectors of code, by embedder
runs/
  RUN/            one folder per run
"""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Dirs:
    """The two folders everything lies in."""

    cache: Path
    runs: Path

    @property
    def downloads(self) -> Path:
        """Archives as they came, by checksum."""
        return self.cache / "downloads"

    @property
    def materials(self) -> Path:
        """Unpacked and mended codebases and data."""
        return self.cache / "materials"

    @property
    def environments(self) -> Path:
        """The Pythons tasks run in."""
        return self.cache / "environments"

    @property
    def pools(self) -> Path:
        """Train, validation and test pools of tasks."""
        return self.cache / "pools"

    @property
    def draws(self) -> Path:
        """What seeds drew from the pools."""
        return self.cache / "draws"

    @property
    def baselines(self) -> Path:
        """Retests of baselines, by task, track and machine."""
        return self.cache / "baselines"

    @property
    def programs(self) -> Path:
        """Agents that were installed for runs."""
        return self.cache / "programs"

    @property
    def models(self) -> Path:
        """Files of language models that run on this machine."""
        return self.cache / "models"

    @property
    def checks(self) -> Path:
        """What checking tasks has measured so far."""
        return self.cache / "checks"

    @property
    def embeddings(self) -> Path:
        """Vectors of code, by embedder."""
        return self.cache / "embeddings"
