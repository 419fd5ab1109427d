"""fmlbench compare: which agent is better, if one can tell."""

from typing import Annotated

import typer

from fmlbench.cli.options import EmbedderOption, FormOption, JsonOption


def compare(
    agents: Annotated[
        list[str],
        typer.Argument(
            metavar="A B...",
            help="Two or more agents by name, such as 'greedy', or 'mcts:exploration=2' where runs differ in settings; "
            "or groups of runs: a pattern of run names such as 'toy.cpu.greedy.*', or a folder of runs. NAME=GROUP "
            "gives a group another name. A study file or a folder alone: all agents in it.",
        ),
    ],
    measure: Annotated[
        str, typer.Option(metavar="NAME", help="What to compare by; docs/metrics.md lists the measures.")
    ] = "improvement",
    embedder: EmbedderOption = "none",
    form: FormOption = "text",
    as_json: JsonOption = False,
) -> None:
    """Compare agents: better, worse or cannot tell.

    Runs are paired by task and seed. The answer says by how much, on which tasks, and how many more seeds would decide.
    """
    from fmlbench.cli.comparing import show_comparison

    show_comparison(agents, measure, embedder, form=form, as_json=as_json)
