"""fmlbench bench: the whole benchmark with the built-in agent."""

from typing import Annotated

import typer

from fmlbench.cli.options import JsonOption, TrackOption, UnsealedOption


def bench(
    suite: Annotated[
        str, typer.Option(metavar="SUITE", help="Which tasks to run; 'fmlbench tasks' lists the suites.")
    ] = "quick",
    agent: Annotated[
        str, typer.Option(metavar="NAME", help="Who does the research; 'fmlbench agents' lists them.")
    ] = "greedy",
    steps: Annotated[int, typer.Option(metavar="N", help="How many proposals are tested on each task.")] = 5,
    seed: Annotated[int, typer.Option(metavar="S", help="Decides all dice.")] = 0,
    track: TrackOption = "cpu",
    retest: Annotated[
        int, typer.Option(metavar="N", min=0, help="On how many fresh seeds the best step is tested again at the end.")
    ] = 3,
    unsealed: UnsealedOption = False,
    as_json: JsonOption = False,
) -> None:
    """Run an agent on a whole suite and sum up.

    With the built-in agent this needs no key, no GPU and no Docker. It can be stopped and repeated: a run that is
    already there is gone on with.
    """
    from fmlbench.cli.benching import bench_suite
    from fmlbench.cli.requests import RunRequest

    request = RunRequest(agent=agent, steps=steps, seed=seed, track=track, retest=retest, unsealed=unsealed)
    bench_suite(suite, request, as_json=as_json)
