"""fmlbench runs: list the runs there are."""

from fmlbench.cli.options import JsonOption


def runs(as_json: JsonOption = False) -> None:
    """List the runs there are, with state and scores.

    They lie in the folder that the variable FMLBENCH_RUNS names, or else in ./runs.
    """
    from rich.text import Text

    from fmlbench.cli.places import find_places
    from fmlbench.cli.playing import read_summary
    from fmlbench.cli.screen import proceedings, show, show_json, show_lines
    from fmlbench.core.errors import FmlbenchError
    from fmlbench.records.folder import RunFolder
    from fmlbench.reports.summary import Summary
    from fmlbench.reports.tables import run_table

    folder = find_places().runs
    summaries: list[Summary] = []
    for specification in sorted(folder.glob("*/run.json")):
        run = RunFolder(specification.parent)
        try:
            summaries.append(read_summary(run))
        except FmlbenchError as error:
            proceedings().print(Text(f"{run.path.name} is left out: {error.message}", "yellow"), soft_wrap=True)
    if as_json:
        show_json(summaries)
    elif summaries:
        show(run_table(summaries))
    else:
        show_lines(Text(f"There are no runs in {folder} yet. Start one with: fmlbench run TASK"))
