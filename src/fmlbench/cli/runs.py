"""fmlbench runs: list the runs there are."""

from fmlbench.cli.options import JsonOption


def runs(as_json: JsonOption = False) -> None:
    """List the runs there are, with state and scores.

    They lie in the folder that the variable FMLBENCH_RUNS names, or else in ./runs.
    """
    from fmlbench.cli.dirs import find_dirs
    from fmlbench.cli.inspecting import list_runs

    list_runs(find_dirs().runs, as_json=as_json)
