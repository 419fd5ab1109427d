"""fmlbench agents: list who can do the research."""

from typing import Annotated

import typer

from fmlbench.cli.options import JsonOption


def agents(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="[NAME]", help="One of them, or a Python file that defines one, to see what its settings mean."
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """List the agents there are.

    Also what to expect of them, and what can be set with 'fmlbench run TASK --set KEY=VALUE'.
    """
    from fmlbench.agents.registry import all_agents, find_agent
    from fmlbench.cli.console import show, show_json
    from fmlbench.reports.agents import agent_page, agent_row, agent_rows, agent_table

    asked = agent_rows(all_agents().values()) if name is None else agent_row(find_agent(name))
    if as_json:
        show_json(asked)
    else:
        show(agent_table(asked) if isinstance(asked, list) else agent_page(asked))
