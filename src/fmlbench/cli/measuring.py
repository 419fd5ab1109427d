"""Measure the runs named on the command line, and print tables of measures."""

from collections.abc import Sequence

from rich.console import Group
from rich.text import Text

from fmlbench.cli.console import show, show_json, show_lines
from fmlbench.cli.dirs import find_dirs
from fmlbench.cli.selecting import select_all
from fmlbench.core.errors import BadRequest
from fmlbench.core.run import agent_names
from fmlbench.metrics.associations import associate
from fmlbench.metrics.embedding.catalogue import cache_for, find_embedder
from fmlbench.metrics.embedding.clouds import embed_run
from fmlbench.metrics.embedding.embedder import Embedder
from fmlbench.metrics.measurement import MeasuredRun, measure_run
from fmlbench.metrics.trace import Trace, read_trace
from fmlbench.records.folder import RunFolder
from fmlbench.records.replay import read_state
from fmlbench.reports.agent_tables import agent_task_data, agent_task_scores, agent_task_table
from fmlbench.reports.comparison import association_table
from fmlbench.reports.measures import measure_table, run_data
from fmlbench.reports.summary import task_of
from fmlbench.reports.table import DataTable, TableFormat, to_table, write_table
from fmlbench.workspace.dirs import Dirs


def show_measures(words: Sequence[str], embedder: str, *, form: str, as_json: bool) -> None:
    """Print all measures of the runs."""
    wanted = read_format(form)
    measured = measure_words(words, embedder)
    if as_json:
        show_json(measured)
    else:
        show_table(run_data(measured) if wanted is TableFormat.CSV else measure_table(measured), wanted)


def measure_words(words: Sequence[str], embedder: str) -> list[MeasuredRun]:
    """Measure the selected runs, each once."""
    dirs = find_dirs()
    found = find_embedder(embedder)
    return [measure_run(trace_with_cloud(folder, found, dirs)) for folder in select_all(words, dirs.runs)]


def trace_with_cloud(folder: RunFolder, embedder: Embedder | None, dirs: Dirs) -> Trace:
    """A run's trace, with embedded code if an embedder is given."""
    state = read_state(folder)
    task = task_of(folder.read_spec(), state)
    if embedder is None:
        return read_trace(folder, task)
    cloud = embed_run(folder, state.steps, task, embedder, cache_for(embedder, dirs.embeddings))
    return read_trace(folder, task, cloud)


def read_format(form: str) -> TableFormat:
    """The table format of that name."""
    try:
        return TableFormat(form)
    except ValueError as error:
        raise BadRequest(f"Unknown table format '{form}'.", hint=f"Use one of {', '.join(TableFormat)}.") from error


def show_table(sheet: DataTable, form: TableFormat) -> None:
    """Print a table in the given format."""
    if form is TableFormat.TEXT:
        show(Group(to_table(sheet), *(Text(note) for note in sheet.notes)))
    else:
        show_lines(Text(write_table(sheet, form).rstrip("\n")))


def show_agent_means(words: Sequence[str], embedder: str, *, form: str, as_json: bool) -> None:
    """Print means over seeds, per task and agent."""
    wanted = read_format(form)
    runs = measure_words(words, embedder)
    rounds = agent_task_scores(by_agent(runs))
    if as_json:
        show_json(rounds)
    else:
        show_table(agent_task_data(rounds) if wanted is TableFormat.CSV else agent_task_table(rounds, runs), wanted)


def show_correlations(words: Sequence[str], embedder: str, *, form: str, as_json: bool) -> None:
    """Print the correlation of each measure with the improvement."""
    wanted = read_format(form)
    found = associate(measure_words(words, embedder))
    if as_json:
        show_json(found)
        return
    if not found:
        raise BadRequest("Too few runs for a correlation.", hint="Select at least four finished runs of one task.")
    show_table(association_table(found), wanted)


def by_agent(runs: Sequence[MeasuredRun]) -> dict[str, list[MeasuredRun]]:
    """The runs of each agent, by its display name."""
    names = agent_names([run.spec.agent for run in runs])
    return {name: [run for run, run_name in zip(runs, names, strict=True) if run_name == name] for name in names}
