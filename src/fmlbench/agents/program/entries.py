"""Registry entries of agents that are programs; the code that runs them is imported when one is built."""

from fmlbench.agents.entry import AgentContext, AgentEntry
from fmlbench.agents.program.presets import PRESETS, Preset
from fmlbench.agents.settings import Setting
from fmlbench.core.agents import Agent
from fmlbench.core.run import AgentSpec

COMMAND = "command"
"""The agent that runs a user's command."""

_OWN = "built-in"

_PROGRAM = Setting(
    "", "path of the program; by default the one on the PATH, or else one installed with npm", is_path=True
)


def _command(spec: AgentSpec, context: AgentContext) -> Agent:
    from fmlbench.agents.program.factory import command_agent  # noqa: PLC0415

    return command_agent(spec, context)


def _preset(spec: AgentSpec, context: AgentContext) -> Agent:
    from fmlbench.agents.program.factory import preset_agent  # noqa: PLC0415

    return preset_agent(spec, context)


def _human(_spec: AgentSpec, context: AgentContext) -> Agent:
    from fmlbench.agents.program.person import Person  # noqa: PLC0415

    return Person(context.require_workspace(), context.budget.steps)


def _preset_entry(name: str, preset: Preset) -> AgentEntry:
    return AgentEntry(
        name=name,
        description=preset.description,
        strategy=_OWN,
        proposer=_OWN,
        build=_preset,
        is_program=True,
        default_model=preset.default_model,
        settings={"program": _PROGRAM, "flags": Setting("", "additional command-line arguments")},
    )


PROGRAMS: tuple[AgentEntry, ...] = (
    AgentEntry(
        name=COMMAND,
        description="Your own program: it works in a sandboxed copy of the repository and submits with 'fml'.",
        strategy=_OWN,
        proposer=_OWN,
        build=_command,
        is_program=True,
        default_model="",
        settings={
            "cmd": Setting("", "the command line that starts it", required=True),
            "see": Setting("", "folders to mount in its sandbox, separated by colons"),
        },
    ),
    *(_preset_entry(name, preset) for name, preset in PRESETS.items()),
    AgentEntry(
        name="human",
        description="You: work in a terminal with 'fml', without a sandbox; your time is recorded.",
        strategy=_OWN,
        proposer=_OWN,
        build=_human,
        is_program=True,
        is_person=True,
    ),
)
