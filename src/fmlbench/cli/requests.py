"""Convert command-line options to run specifications."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from fmlbench.agents.entry import AgentEntry
from fmlbench.agents.registry import find_agent, spec_of, takes_model
from fmlbench.core.errors import BadRequest, SandboxMissing
from fmlbench.core.run import AgentSpec, Budget, Isolation, RunSpec
from fmlbench.models.connection import open_model, resolved_name
from fmlbench.models.meter import require_price
from fmlbench.records.folder import RunFolder
from fmlbench.sandbox.isolation import open_sandbox
from fmlbench.sandbox.protocol import Sandbox
from fmlbench.tasks.folder import TaskFolder
from fmlbench.tasks.library import name_of
from fmlbench.workspace.dirs import Dirs


@dataclass(frozen=True)
class RunRequest:
    """The options of a run as given on the command line."""

    agent: str
    steps: int
    seed: int
    track: str
    smoke: bool = False
    hours: float | None = None
    dollars: float | None = None
    tokens: int | None = None
    model: str = ""
    replay: RunFolder | None = None
    retest: int = 3
    label: str = ""
    settings: Mapping[str, str] = field(default_factory=dict[str, str])
    unsealed: bool = False

    @cached_property
    def entry(self) -> AgentEntry:
        """The agent, looked up once: a user's file is executed for it."""
        return find_agent(self.agent)

    def spec(self, folder: TaskFolder) -> RunSpec:
        """The specification of this run on a task."""
        _require_positive("--steps", self.steps)
        _require_positive("--hours", self.hours)
        _require_positive("--dollars", self.dollars)
        _require_positive("--tokens", self.tokens)
        if self.entry.is_person and not self.unsealed:
            raise BadRequest(
                f"'{self.agent}' cannot run in the sandbox.",
                hint="Add --unsealed; every score is then marked UNSEALED.",
            )
        agent = self._agent()
        self._require_model_for_caps(agent)
        return RunSpec(
            task=name_of(folder),
            task_digest=folder.on(self.track, smoke=self.smoke).digest,
            track=self.track,
            smoke=self.smoke,
            agent=agent,
            seed=self.seed,
            budget=Budget(steps=self.steps, hours=self.hours, dollars=self.dollars, tokens=self.tokens),
            isolation=isolation(unsealed=self.unsealed),
            retest_seeds=self.retest,
            label=self.label,
        )

    def _require_model_for_caps(self, agent: AgentSpec) -> None:
        caps = {"--dollars": self.dollars, "--tokens": self.tokens}
        given = [option for option, cap in caps.items() if cap is not None]
        if agent.model or not given:
            return
        options, may_have_one = " and ".join(given), takes_model(self.entry)
        raise BadRequest(
            f"{options} {'needs' if len(given) == 1 else 'need'} a model, but '{self.agent}' has none.",
            hint=f"Add --model NAME, or leave out {options}." if may_have_one else f"Leave out {options}.",
        )

    def _agent(self) -> AgentSpec:
        model = resolved_name(self.model) if self.model else ""
        if self.replay is None:
            return spec_of(self.entry, self.settings, model)
        recorded = self.replay.read_spec().agent
        asked = spec_of(self.entry, self.settings, model or recorded.model)
        if not recorded.model or asked != recorded.model_copy(update={"replay": ""}):
            raise BadRequest(
                f"Agent '{self.agent}' with these options differs from the agent of the replayed run.",
                hint=_describe_difference(recorded, asked),
            )
        return asked.model_copy(update={"replay": str(self.replay.path)})


def _describe_difference(recorded: AgentSpec, asked: AgentSpec) -> str:
    """The recorded agent, with what differs from the requested one."""
    differing = [f"{key}={value}" for key, value in recorded.settings.items() if asked.settings.get(key) != value]
    if recorded.prompts != asked.prompts:
        differing.append("prompts of another version")
    is_edited = asked.name == recorded.name and asked.file != recorded.file
    agent = f"{'an earlier version of its file' if is_edited else recorded.name} with {recorded.model or 'no model'}"
    return f"The replayed run used {', '.join([agent, *differing])}."


def isolation(*, unsealed: bool) -> Isolation:
    """The isolation level that the option --unsealed selects."""
    return Isolation.NONE if unsealed else Isolation.BUBBLEWRAP


def sandbox_of(wanted: Isolation) -> Sandbox:
    """Open the sandbox of an isolation level. A missing sandbox is an error, never a silent downgrade."""
    try:
        return open_sandbox(wanted)
    except SandboxMissing as error:
        instead = "Or add --unsealed; candidates could then cheat, so every score is marked UNSEALED."
        raise SandboxMissing(error.message, hint=f"{error.hint.removesuffix('.')}. {instead}") from error


def require_agent(spec: RunSpec, entry: AgentEntry, dirs: Dirs) -> None:
    """Check that a run's program is installed, its model usable, and its price known for --dollars; sends nothing."""
    agent = spec.agent
    if entry.is_program:
        from fmlbench.agents.program.factory import require_program  # noqa: PLC0415 - other agents need no proxy

        require_program(agent, spec.budget, dirs.programs, sealed=spec.isolation is Isolation.BUBBLEWRAP)
        return
    if not agent.model or agent.replay:
        return
    opened = open_model(agent.model, dirs.models)
    if spec.budget.dollars is not None:
        require_price(agent.model, opened.price)


def read_settings(words: Sequence[str]) -> dict[str, str]:
    """Parse settings written as KEY=VALUE."""
    settings: dict[str, str] = {}
    for word in words:
        key, equals, value = word.partition("=")
        if not key or not equals:
            raise BadRequest(
                f"'{word}' is not of the form KEY=VALUE.",
                hint="Write --set KEY=VALUE; 'fmlbench agents' lists the keys.",
            )
        settings[key] = value
    return settings


def _require_positive(option: str, value: float | None) -> None:
    if value is not None and not value > 0:
        raise BadRequest(f"{option} must be positive, got {value:g}.", hint=f"Give {option} a number above 0.")
