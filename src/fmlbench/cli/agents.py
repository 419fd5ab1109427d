"""fmlbench agents: list who can do the research."""

from fmlbench.cli.options import JsonOption


def agents(as_json: JsonOption = False) -> None:
    """List the agents there are.

    Also what to expect of them, and what can be set with 'fmlbench run TASK --set KEY=VALUE'.
    """
    from fmlbench.agents.catalogue import all_agents
    from fmlbench.cli.screen import show, show_json
    from fmlbench.reports.agents import agent_rows, agent_table

    rows = agent_rows(all_agents().values())
    if as_json:
        show_json(rows)
    else:
        show(agent_table(rows))
