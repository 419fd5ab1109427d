"""Options that several commands share."""

from typing import Annotated

import typer

from fmlbench.metrics.embedding.embedder import EMBEDDERS, NO_EMBEDDER

TaskArgument = Annotated[
    str, typer.Argument(metavar="TASK", help="Name of a task ('fmlbench tasks' lists them) or path of its folder.")
]
RunArgument = Annotated[
    str,
    typer.Argument(
        metavar="RUN",
        help="Name of a run or a unique prefix ('fmlbench runs' lists them), or path of its folder.",
    ),
]
RunsArgument = Annotated[
    list[str],
    typer.Argument(
        metavar="RUN...",
        help="Runs by name, by pattern such as 'toy.*', or by agent name; a folder of runs; or a study file.",
    ),
]
EmbedderOption = Annotated[
    str,
    typer.Option(
        "--embedder",
        metavar="NAME",
        help=f"Model that embeds code as vectors: {', '.join(usage for entry in EMBEDDERS for usage in entry.usage)}, "
        f"or '{NO_EMBEDDER}'. Values of different embedders are not comparable.",
    ),
]
FormatOption = Annotated[
    str,
    typer.Option("--format", metavar="FORMAT", help="Table format: text, md (Markdown), csv or tex (LaTeX)."),
]
TrackOption = Annotated[
    str,
    typer.Option(
        "--track", metavar="TRACK", help="Size of the task: 'cpu' runs on a laptop; 'fmlbench tasks' lists the tracks."
    ),
]
SmokeOption = Annotated[
    bool,
    typer.Option(
        "--smoke",
        help="Smoke test of a track: real code and data formats, one short pass on a CPU. Scores are meaningless.",
    ),
]
UnsealedOption = Annotated[
    bool,
    typer.Option(
        "--unsealed",
        help="Run candidates without a sandbox. They could cheat, so every score is marked UNSEALED.",
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print only JSON on stdout.")]
