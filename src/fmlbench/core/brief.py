"""All information about a task that an agent gets."""

from fmlbench.core.metric import Metric
from fmlbench.core.record import Record
from fmlbench.core.task import Limits


class StageBrief(Record):
    """One command of the experiment and its limits."""

    name: str
    command: str
    limits: Limits


class Brief(Record):
    """The same input for every agent."""

    task: str
    title: str
    question: str
    instructions: str
    codebase: str
    repository: tuple[str, ...]
    """All files of the repository; agents can read them."""
    editable: tuple[str, ...]
    patterns: tuple[str, ...]
    """Globs of the files that may be changed or added."""
    suggested: tuple[str, ...]
    information_bytes: int
    """How much information a proposal may add to the baseline."""
    protected: tuple[str, ...]
    commands: tuple[StageBrief, ...]
    packages: tuple[str, ...] = ()
    """Importable packages besides the standard library."""
    metric: Metric
    baseline_score: float | None
    sigma: float | None
    rules: tuple[str, ...]
    track: str
    sealed: bool
