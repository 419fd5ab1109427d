"""fmlbench agents: list the agents and their settings."""

from typing import Annotated

import typer

from fmlbench.agents.registry import all_agents, find_agent
from fmlbench.cli.console import show, show_json
from fmlbench.cli.options import JsonOption
from fmlbench.reports.agents import agent_page, agent_row, agent_rows, agent_table


def agents(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="[NAME]", help="Show the settings of this agent: its name, or a Python file that defines it."
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """List the agents, or show one with its settings.

    Settings are changed with 'fmlbench run TASK --set KEY=VALUE'.
    """
    shown = agent_rows(all_agents().values()) if name is None else agent_row(find_agent(name))
    if as_json:
        show_json(shown)
    else:
        show(agent_table(shown) if isinstance(shown, list) else agent_page(shown))
