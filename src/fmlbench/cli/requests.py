"""Turn what was typed into what a run is asked to be."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from fmlbench.agents.catalogue import agent_spec
from fmlbench.core.errors import BadRequest, SandboxMissing
from fmlbench.core.run import Budget, Rung, RunSpec
from fmlbench.execution.rungs import open_sandbox
from fmlbench.execution.sandbox import Sandbox
from fmlbench.tasks.folder import TaskFolder
from fmlbench.tasks.library import name_of


@dataclass(frozen=True)
class RunRequest:
    """A run in the words of the command line."""

    agent: str
    steps: int
    seed: int
    track: str
    hours: float | None = None
    dollars: float | None = None
    retest: int = 3
    label: str = ""
    settings: Mapping[str, str] = field(default_factory=dict[str, str])
    unsealed: bool = False

    def spec(self, folder: TaskFolder) -> RunSpec:
        """The run this is on a task."""
        _require_positive("--hours", self.hours)
        _require_positive("--dollars", self.dollars)
        return RunSpec(
            task=name_of(folder),
            task_digest=folder.on(self.track).digest,
            track=self.track,
            agent=agent_spec(self.agent, self.settings),
            seed=self.seed,
            budget=Budget(steps=self.steps, hours=self.hours, dollars=self.dollars),
            rung=rung(unsealed=self.unsealed),
            retest_seeds=self.retest,
            label=self.label,
        )


def rung(*, unsealed: bool) -> Rung:
    """Sealed, unless somebody asked for the opposite."""
    return Rung.NONE if unsealed else Rung.BUBBLEWRAP


def sandbox_of(wanted: Rung) -> Sandbox:
    """The sandbox of a rung; one that is missing is an error, never a quiet downgrade."""
    try:
        return open_sandbox(wanted)
    except SandboxMissing as error:
        instead = "Or add --unsealed: candidates could then cheat, so every score is marked."
        raise SandboxMissing(error.message, hint=f"{error.hint}. {instead}") from error


def read_settings(words: Sequence[str]) -> dict[str, str]:
    """Settings written as KEY=VALUE."""
    settings: dict[str, str] = {}
    for word in words:
        key, equals, value = word.partition("=")
        if not key or not equals:
            raise BadRequest(
                f"'{word}' is not a setting.", hint="Write --set KEY=VALUE; 'fmlbench agents' lists the keys."
            )
        settings[key] = value
    return settings


def _require_positive(option: str, value: float | None) -> None:
    if value is not None and not value > 0:
        raise BadRequest(f"{option} {value:g} leaves nothing to spend.", hint=f"Give {option} a number above 0.")
