"""Build agents that are programs."""

from pathlib import Path

from fmlbench.agents.entry import AgentContext, AgentWorkspace
from fmlbench.agents.program.agent import ProgramAgent
from fmlbench.agents.program.entries import COMMAND
from fmlbench.agents.program.presets import PRESETS
from fmlbench.agents.program.program import Program, command_program, require_visible
from fmlbench.core.agents import Agent
from fmlbench.core.run import AgentSpec, Budget
from fmlbench.models.meter import Caps
from fmlbench.models.proxy.access import CALLS, ModelAccess, model_access
from fmlbench.records.folder import RunFolder


def command_agent(spec: AgentSpec, context: AgentContext) -> Agent:
    """An agent that runs a user's command."""
    return _agent(_command(spec), context.require_workspace(), spec, context.budget)


def _command(spec: AgentSpec) -> Program:
    return command_program(str(spec.settings["cmd"]), str(spec.settings["see"]))


def preset_agent(spec: AgentSpec, context: AgentContext) -> Agent:
    """An agent that runs a known program."""
    workspace = context.require_workspace()
    preset = PRESETS[spec.name]
    found = preset.find(str(spec.settings["program"]), workspace.programs)
    return _agent(preset.program(found, spec), workspace, spec, context.budget)


def _model(spec: AgentSpec, budget: Budget) -> ModelAccess | None:
    """The language model of a program, if it has one."""
    if not spec.model:
        return None
    replayed = RunFolder(Path(spec.replay)).agent / CALLS if spec.replay else None
    access = model_access(spec.model, Caps(tokens=budget.tokens, dollars=budget.dollars), replayed)
    if spec.name in PRESETS:
        PRESETS[spec.name].require_provider(access.name)
    return access


def require_program(spec: AgentSpec, budget: Budget, programs: Path, *, sealed: bool) -> None:
    """Check the program, its model's credentials and whether a cap in dollars can be enforced; sends nothing."""
    if spec.name in PRESETS:
        PRESETS[spec.name].require(str(spec.settings["program"]), programs)
    if spec.name == COMMAND:
        program = _command(spec)
        if sealed:
            require_visible(program)
    if access := _model(spec, budget):
        access.require()


def _agent(program: Program, workspace: AgentWorkspace, spec: AgentSpec, budget: Budget) -> Agent:
    return ProgramAgent(program, workspace, budget.steps, _model(spec, budget))
