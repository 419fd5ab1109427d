"""fmlbench compare: test which agent is better."""

from typing import Annotated

import typer

from fmlbench.cli.options import EmbedderOption, FormatOption, JsonOption


def compare(
    agents: Annotated[
        list[str],
        typer.Argument(
            metavar="A B...",
            help="Two or more agents by name, such as 'greedy', or 'mcts:exploration=2' if runs differ in settings; "
            "or groups of runs: a pattern of run names such as 'toy.cpu.greedy.*', or a folder of runs. NAME=GROUP "
            "renames a group. A single study file or folder compares all agents in it.",
        ),
    ],
    measure: Annotated[
        str, typer.Option(metavar="NAME", help="The measure to compare by; docs/metrics.md lists the measures.")
    ] = "improvement",
    embedder: EmbedderOption = "none",
    form: FormatOption = "text",
    as_json: JsonOption = False,
) -> None:
    """Compare agents: better, worse or undecided.

    Runs are paired by task and seed. The output gives the difference, the tasks, and how many more seeds would decide.
    """
    from fmlbench.cli.comparing import show_comparison

    show_comparison(agents, measure, embedder, form=form, as_json=as_json)
