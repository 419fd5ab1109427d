"""Options that several commands share, worded once."""

from typing import Annotated

import typer

TaskArgument = Annotated[
    str, typer.Argument(metavar="TASK", help="A task's name ('fmlbench tasks' lists them) or the path of its folder.")
]
RunArgument = Annotated[
    str,
    typer.Argument(
        metavar="RUN",
        help="A run's name or the beginning of it ('fmlbench runs' lists them), or the path of its folder.",
    ),
]
RunsArgument = Annotated[
    list[str],
    typer.Argument(
        metavar="RUN...",
        help="Runs by name, by a pattern such as 'toy.*', by their agent's name; a folder of runs; or a study file.",
    ),
]
EmbedderOption = Annotated[
    str,
    typer.Option(
        "--embedder",
        metavar="NAME",
        help="What turns code into vectors: 'offline', 'graphcodebert' (needs its weights), 'graphcodebert:FOLDER', "
        "or 'none'. Figures of different embedders do not compare.",
    ),
]
FormOption = Annotated[
    str,
    typer.Option("--form", metavar="FORM", help="How the table is written: text, md (Markdown), csv or tex (LaTeX)."),
]
TrackOption = Annotated[
    str,
    typer.Option(
        "--track", metavar="TRACK", help="The size to work at: 'cpu' runs on a laptop; 'fmlbench tasks' lists a task's."
    ),
]
SmokeOption = Annotated[
    bool,
    typer.Option(
        "--smoke",
        help="Try a track out: real code, real data formats, one short pass on a CPU. Its scores mean nothing.",
    ),
]
UnsealedOption = Annotated[
    bool,
    typer.Option(
        "--unsealed",
        help="Run candidates without a sandbox. They could then cheat, so every score is marked UNSEALED.",
    ),
]
JsonOption = Annotated[
    bool, typer.Option("--json", help="Print JSON for programs instead, and nothing else on stdout.")
]


def sized(track: str, *, smoke: bool) -> str:
    """The name of a track, as it is or at a size for trying it out."""
    from fmlbench.core.task import SMOKE

    return f"{track}{SMOKE}" if smoke else track
