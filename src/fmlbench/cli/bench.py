"""fmlbench bench: run one agent on a whole suite."""

from typing import Annotated

import typer

from fmlbench.cli.options import JsonOption, TrackOption, UnsealedOption


def bench(
    suite: Annotated[
        str, typer.Option(metavar="SUITE", help="The suite to run; 'fmlbench tasks' lists the suites.")
    ] = "quick",
    agent: Annotated[str, typer.Option(metavar="NAME", help="The agent; 'fmlbench agents' lists them.")] = "greedy",
    steps: Annotated[int, typer.Option(metavar="N", help="Number of proposals tested on each task.")] = 5,
    seed: Annotated[int, typer.Option(metavar="S", help="Random seed for the search and for data sampling.")] = 0,
    track: TrackOption = "cpu",
    retest: Annotated[
        int,
        typer.Option(metavar="N", min=0, help="Number of fresh seeds on which the best step is retested at the end."),
    ] = 3,
    unsealed: UnsealedOption = False,
    as_json: JsonOption = False,
) -> None:
    """Run an agent on all tasks of a suite and print a summary.

    The built-in agent needs no API key, no GPU and no Docker. After an interruption, repeat the command: existing runs
    are resumed.
    """
    from fmlbench.cli.benching import bench_suite
    from fmlbench.cli.requests import RunRequest

    request = RunRequest(agent=agent, steps=steps, seed=seed, track=track, retest=retest, unsealed=unsealed)
    bench_suite(suite, request, as_json=as_json)
