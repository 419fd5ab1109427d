"""Everything an agent is told about a task."""

from fmlbench.core.metric import Metric
from fmlbench.core.record import Record
from fmlbench.core.task import Limits


class StageBrief(Record):
    """One command of the experiment, and what it may use."""

    name: str
    command: str
    limits: Limits


class Brief(Record):
    """The one input interface for any agent."""

    task: str
    title: str
    question: str
    instructions: str
    codebase: str
    repository: tuple[str, ...]
    """Every file of the repository; agents can read all of them."""
    editable: tuple[str, ...]
    patterns: tuple[str, ...]
    """Globs of what may be changed or added."""
    suggested: tuple[str, ...]
    information_bytes: int
    """How much information a proposal may add to the baseline."""
    protected: tuple[str, ...]
    commands: tuple[StageBrief, ...]
    packages: tuple[str, ...] = ()
    """What Python can import besides its standard library."""
    metric: Metric
    baseline_score: float | None
    sigma: float | None
    rules: tuple[str, ...]
    track: str
    sealed: bool
