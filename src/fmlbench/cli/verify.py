"""fmlbench verify: check a run's scores by regrading its answers."""

import json
from collections import Counter
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer
from rich.text import Text

from fmlbench.cli.console import show, show_json, show_lines, stderr_console
from fmlbench.cli.dirs import find_dirs
from fmlbench.cli.options import JsonOption
from fmlbench.cli.progress import progress_on
from fmlbench.cli.selection import measure_folder
from fmlbench.core.errors import BadRequest
from fmlbench.core.run import Isolation
from fmlbench.core.text import score_text
from fmlbench.engine.preparation import prepare
from fmlbench.engine.verification import Result, ScoreCheck, check_measures, verify_run
from fmlbench.experiment.secret import Secret
from fmlbench.metrics.embedding.embedder import find_embedder
from fmlbench.metrics.measured_run import MeasuredRun
from fmlbench.records.bundle import METRICS, unpack
from fmlbench.records.folder import RunFolder, find_run
from fmlbench.reports.table import DataTable, to_table
from fmlbench.sandbox.isolation import open_sandbox
from fmlbench.tasks.library import find_task, is_path


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
    with _opened(run) as (folder, metrics):
        graded = _regrade(folder, task, secret)
        checks = [*graded, *(_remeasure(folder, metrics, embedder) if metrics else [])]
    if as_json:
        show_json(checks)
    else:
        _show_checks(checks)
    if any(check.result in (Result.DIFFERENT, Result.NOT_KEPT) for check in checks):
        raise typer.Exit(1)


@contextmanager
def _opened(word: str) -> Generator[tuple[RunFolder, str]]:
    """The run folder and exported metrics; a bundle is unpacked to a temporary folder."""
    if not Path(word).is_file():
        yield find_run(word, find_dirs().runs), ""
        return
    with TemporaryDirectory(prefix="fmlbench-verify-") as scratch:
        folder, _ = unpack(Path(word), Path(scratch))
        yield folder, (Path(scratch) / METRICS).read_text("utf-8")


def _regrade(folder: RunFolder, task: str, secret: Path | None) -> list[ScoreCheck]:
    spec = folder.read_spec()
    if not task and is_path(spec.task):
        # A task folder contains code, and the record may be untrusted, so the user has to name the folder.
        raise BadRequest(
            f"The run's task is the folder '{spec.task}', which is not an installed task.",
            hint="Verifying executes that folder's grader. If you trust it, add --task FOLDER.",
        )
    with progress_on(stderr_console()) as progress:
        prepared = prepare(
            find_task(task or spec.task),
            spec.track,
            smoke=spec.smoke,
            dirs=find_dirs(),
            # The grader always runs in the sandbox, even if the run was unsealed.
            sandbox=open_sandbox(Isolation.BUBBLEWRAP),
            progress=progress,
            secret=_read_secret(secret) if secret else None,
        )
    return list(verify_run(folder, prepared))


def _read_secret(file: Path) -> Secret:
    hint = "Use the file 'secret' in the cache folder of the machine that executed the run."
    try:
        secret = Secret(file.read_bytes())
    except OSError as error:
        raise BadRequest(f"The secret cannot be read: {error.strerror} ({file}).", hint=hint) from error
    if not secret.is_whole:
        raise BadRequest(f"'{file}' is not a valid secret file.", hint=hint)
    return secret


def _remeasure(folder: RunFolder, metrics: str, embedder: str) -> list[ScoreCheck]:
    """Recompute the measures from logs and code with the original embedder, and compare."""
    exported = json.loads(metrics)
    label = exported["embedder"]
    name = "none" if label is None else embedder or str(label).rpartition("-")[0]
    try:
        again = _measure(folder, name)
    except BadRequest:
        if embedder:
            raise
        again = _measure(folder, "none")
    return list(check_measures(exported["values"], label, again))


def _measure(folder: RunFolder, embedder: str) -> MeasuredRun:
    return measure_folder(folder, find_embedder(embedder), find_dirs())


def _show_checks(checks: Sequence[ScoreCheck]) -> None:
    mismatches = [check for check in checks if check.result is not Result.REPRODUCED]
    if mismatches:
        rows = [(check.what, check.result, score_text(check.logged), score_text(check.again)) for check in mismatches]
        show(to_table(DataTable(("score", "result", "logged", "regraded"), rows)))
    counts = Counter(check.result for check in checks)
    parts = [f"{counts[result]} {result}" for result in Result if counts[result]]
    show_lines(Text(f"{len(checks)} checked: {', '.join(parts) or 'no graded answers'}."))
