"""fmlbench export: pack a run into one file."""

from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from fmlbench.cli.console import show_lines
from fmlbench.cli.dirs import find_dirs
from fmlbench.cli.options import EmbedderOption, RunArgument
from fmlbench.cli.selection import measure_folder
from fmlbench.core.errors import BadRequest
from fmlbench.metrics.embedding.catalogue import find_embedder
from fmlbench.records.bundle import pack
from fmlbench.records.folder import find_run
from fmlbench.records.replay import read_state
from fmlbench.reports.json_text import to_json


def export(
    run: RunArgument,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="FILE", help="Output file; default: RUN.tar.gz in the current folder."),
    ] = None,
    embedder: EmbedderOption = "offline",
) -> None:
    """Pack a run into one file.

    The file contains logs, code, answers, hidden scores and metrics, but no labels. The run must be finished.
    """
    dirs = find_dirs()
    folder = find_run(run, dirs.runs)
    if not read_state(folder).finished:
        raise BadRequest(
            "The run is not finished, so its hidden scores cannot be exported yet.",
            hint=f"Finish it with: fmlbench resume {folder.path.name}",
        )
    target = output or Path(f"{folder.path.name}.tar.gz")
    measured = to_json(measure_folder(folder, find_embedder(embedder), dirs))
    try:
        manifest = pack(folder, measured, target)
    except OSError as error:
        raise BadRequest(
            f"The bundle cannot be written: {error.strerror} ({target}).", hint="Choose another file with -o."
        ) from error
    size = target.stat().st_size / 2**20
    show_lines(Text(f"{target}: {len(manifest.parts)} parts, {size:.1f} MB. Check it with: fmlbench verify {target}"))
