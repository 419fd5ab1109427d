"""fmlbench verify: check a run's scores by regrading its answers."""

from pathlib import Path
from typing import Annotated

import typer

from fmlbench.cli.options import JsonOption


def verify(
    run: Annotated[
        str,
        typer.Argument(
            metavar="RUN|FILE", help="A run ('fmlbench runs' lists them), or a file written by 'fmlbench export'."
        ),
    ],
    task: Annotated[
        str,
        typer.Option(metavar="FOLDER", help="Folder of the run's task, if the task is not installed."),
    ] = "",
    secret: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Secret of the machine that executed the run, if it was another one ('CACHE/secret')."
        ),
    ] = None,
    embedder: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="Embedder to recompute metrics with, such as 'graphcodebert:FOLDER'; default: the one in the file.",
        ),
    ] = "",
    as_json: JsonOption = False,
) -> None:
    """Regrade a run's stored answers.

    Checks that every score is reproduced and, for an exported file, every metric. Exits with 1 if one is not or cannot
    be checked. Hidden scores are checked only after the run is finished. The owner of the secret could have fabricated
    the answers, so this proves that the record is consistent, not that it is honest.
    """
    from fmlbench.cli.exporting import verify_word

    verify_word(run, task, secret, embedder, as_json=as_json)
