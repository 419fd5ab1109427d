"""fmlbench runs: list the runs."""

from fmlbench.cli.options import JsonOption


def runs(as_json: JsonOption = False) -> None:
    """List the runs with their state and scores.

    Runs are stored in the folder given by the variable FMLBENCH_RUNS, or in ./runs.
    """
    from fmlbench.cli.dirs import find_dirs
    from fmlbench.cli.inspecting import list_runs

    list_runs(find_dirs().runs, as_json=as_json)
