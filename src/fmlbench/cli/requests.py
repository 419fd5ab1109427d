"""Turn what was typed into what a run is asked to be."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from fmlbench.agents.program.factory import require_program
from fmlbench.agents.registry import agent_spec, find_agent, is_program, takes_model
from fmlbench.core.errors import BadRequest, SandboxMissing
from fmlbench.core.run import AgentSpec, Budget, Isolation, RunSpec
from fmlbench.models.chat import Tokens
from fmlbench.models.client import open_model, resolved_name
from fmlbench.models.metering import known_price
from fmlbench.records.folder import RunFolder
from fmlbench.sandbox.isolation import open_sandbox
from fmlbench.sandbox.protocol import Sandbox
from fmlbench.tasks.folder import TaskFolder
from fmlbench.tasks.library import name_of
from fmlbench.workspace.dirs import Dirs


@dataclass(frozen=True)
class RunRequest:
    """A run in the words of the command line."""

    agent: str
    steps: int
    seed: int
    track: str
    hours: float | None = None
    dollars: float | None = None
    tokens: int | None = None
    model: str = ""
    replay: RunFolder | None = None
    retest: int = 3
    label: str = ""
    settings: Mapping[str, str] = field(default_factory=dict[str, str])
    unsealed: bool = False

    def spec(self, folder: TaskFolder) -> RunSpec:
        """The run this is on a task."""
        _require_positive("--steps", self.steps)
        _require_positive("--hours", self.hours)
        _require_positive("--dollars", self.dollars)
        _require_positive("--tokens", self.tokens)
        if find_agent(self.agent).is_person and not self.unsealed:
            raise BadRequest(f"No sandbox holds '{self.agent}'.", hint="Add --unsealed: every score is marked then.")
        agent = self._agent()
        self._require_model_for_caps(agent)
        return RunSpec(
            task=name_of(folder),
            task_digest=folder.on(self.track).digest,
            track=self.track,
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
        options, may_have_one = " and ".join(given), takes_model(find_agent(self.agent))
        raise BadRequest(
            f"A cap in dollars or tokens needs a model, and '{self.agent}' has none.",
            hint=f"Add --model NAME, or leave out {options}." if may_have_one else f"Leave out {options}.",
        )

    def _agent(self) -> AgentSpec:
        model = resolved_name(self.model) if self.model else ""
        if self.replay is None:
            return agent_spec(self.agent, self.settings, model)
        recorded = self.replay.read_spec().agent
        asked = agent_spec(self.agent, self.settings, model or recorded.model)
        if not recorded.model or asked != recorded.model_copy(update={"replay": ""}):
            raise BadRequest(
                f"Agent '{self.agent}' as asked for is not the one that played the run to be replayed.",
                hint=_told_apart(recorded, asked),
            )
        return asked.model_copy(update={"replay": str(self.replay.path)})


def _told_apart(recorded: AgentSpec, asked: AgentSpec) -> str:
    """Who played a run, as far as it differs from who is asked for."""
    differing = [f"{key}={value}" for key, value in recorded.settings.items() if asked.settings.get(key) != value]
    if recorded.prompts != asked.prompts:
        differing.append("the prompts of another version")
    is_edited = asked.name == recorded.name and asked.file != recorded.file
    who = f"{'its file as it was' if is_edited else recorded.name} with {recorded.model or 'no model'}"
    return f"That was {', '.join([who, *differing])}."


def isolation(*, unsealed: bool) -> Isolation:
    """Sealed, unless somebody asked for the opposite."""
    return Isolation.NONE if unsealed else Isolation.BUBBLEWRAP


def sandbox_of(wanted: Isolation) -> Sandbox:
    """The sandbox of a rung; one that is missing is an error, never a quiet downgrade."""
    try:
        return open_sandbox(wanted)
    except SandboxMissing as error:
        instead = "Or add --unsealed: candidates could then cheat, so every score is marked."
        raise SandboxMissing(error.message, hint=f"{error.hint.removesuffix('.')}. {instead}") from error


def require_agent(spec: RunSpec, dirs: Dirs) -> None:
    """Look whether a run's program can be had, its model be asked, and its cap in dollars be kept; nothing is sent."""
    agent = spec.agent
    if is_program(agent):
        require_program(agent, spec.budget, dirs.programs, sealed=spec.isolation is Isolation.BUBBLEWRAP)
        return
    if not agent.model or agent.replay:
        return
    opened = open_model(agent.model, dirs.models)
    if spec.budget.dollars is not None:
        known_price(agent.model, opened.price, Tokens(input=1, output=1))


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
