"""Pack runs into files, and check runs and files by grading their answers again."""

import json
from collections import Counter
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import typer
from rich.text import Text

from fmlbench.cli.console import show, show_json, show_lines, stderr_console
from fmlbench.cli.dirs import find_dirs
from fmlbench.cli.measuring import trace_with_cloud
from fmlbench.cli.progress import progress_on
from fmlbench.core.errors import BadRequest
from fmlbench.core.figures import score_text
from fmlbench.core.run import Isolation
from fmlbench.engine.measure_check import check_measures
from fmlbench.engine.preparation import prepare
from fmlbench.engine.verification import Result, ScoreCheck, verify_run
from fmlbench.experiment.secret import Secret
from fmlbench.metrics.embedding.catalogue import find_embedder
from fmlbench.metrics.measurement import MeasuredRun, measure_run
from fmlbench.records.bundle import METRICS, pack, unpack
from fmlbench.records.folder import RunFolder, find_run
from fmlbench.records.replay import read_state
from fmlbench.reports.json_text import to_json
from fmlbench.reports.table import DataTable, to_table
from fmlbench.sandbox.isolation import open_sandbox
from fmlbench.tasks.library import find_task, is_path

_DIFFERENT = 1


def export_run(run: str, output: Path | None, embedder: str) -> None:
    """Write a run's bundle and say where it is."""
    folder = find_run(run, find_dirs().runs)
    if not read_state(folder).finished:
        raise BadRequest(
            "The run is not over, and its hidden scores are not to be seen before.",
            hint=f"Finish it with: fmlbench resume {folder.path.name}",
        )
    target = output or Path(f"{folder.path.name}.tar.gz")
    measured = to_json(_measure(folder, embedder))
    try:
        manifest = pack(folder, measured, target)
    except OSError as error:
        raise BadRequest(
            f"The bundle cannot be written: {error.strerror} ({target}).", hint="Name a file in a folder with -o."
        ) from error
    size = target.stat().st_size / 2**20
    show_lines(Text(f"{target}: {len(manifest.parts)} parts, {size:.1f} MB. Check it with: fmlbench verify {target}"))


def verify_word(word: str, task: str, secret: Path | None, embedder: str, *, as_json: bool) -> None:
    """Check a run or a file, and tell."""
    with _opened(word) as (folder, metrics):
        graded = _graded_again(folder, task, secret)
        checks = [*graded, *(_measured_again(folder, metrics, embedder) if metrics else [])]
    if as_json:
        show_json(checks)
    else:
        _tell(checks)
    if any(check.result in (Result.DIFFERENT, Result.NOT_KEPT) for check in checks):
        raise typer.Exit(_DIFFERENT)


@contextmanager
def _opened(word: str) -> Generator[tuple[RunFolder, str]]:
    """The folder of a run, or of a file laid out for the while, with the metrics that came with it."""
    if not Path(word).is_file():
        yield find_run(word, find_dirs().runs), ""
        return
    with TemporaryDirectory(prefix="fmlbench-verify-") as scratch:
        folder, _ = unpack(Path(word), Path(scratch))
        yield folder, (Path(scratch) / METRICS).read_text("utf-8")


def _graded_again(folder: RunFolder, task: str, secret: Path | None) -> list[ScoreCheck]:
    spec = folder.read_spec()
    if not task and is_path(spec.task):
        # The record may come from a stranger, and a task's folder is code: only the reader can say which to trust.
        raise BadRequest(
            f"The run's task is a folder, '{spec.task}', and not one that is installed here.",
            hint="Verifying runs that folder's grader. If you trust it, name it with --task FOLDER.",
        )
    with progress_on(stderr_console()) as progress:
        prepared = prepare(
            find_task(task or spec.task),
            spec.track,
            dirs=find_dirs(),
            # A grader runs in the sandbox, whatever isolation the record names.
            sandbox=open_sandbox(Isolation.BUBBLEWRAP),
            progress=progress,
            secret=_read_secret(secret) if secret else None,
        )
    return list(verify_run(folder, prepared))


def _read_secret(file: Path) -> Secret:
    hint = "It is the file 'secret' in the cache of the machine that made the run."
    try:
        secret = Secret(file.read_bytes())
    except OSError as error:
        raise BadRequest(f"The secret cannot be read: {error.strerror} ({file}).", hint=hint) from error
    if not secret.is_whole:
        raise BadRequest(f"'{file}' is not a machine's secret.", hint=hint)
    return secret


def _measured_again(folder: RunFolder, metrics: str, embedder: str) -> list[ScoreCheck]:
    """Compute the measures from the logs and the code once more, with the embedder they were computed with."""
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
    return measure_run(trace_with_cloud(folder, find_embedder(embedder), find_dirs()))


def _tell(checks: Sequence[ScoreCheck]) -> None:
    odd = [check for check in checks if check.result is not Result.REPRODUCED]
    if odd:
        rows = [(check.what, check.result, score_text(check.logged), score_text(check.again)) for check in odd]
        show(to_table(DataTable(("what", "result", "in the log", "graded again"), rows)))
    counts = Counter(check.result for check in checks)
    parts = [f"{counts[result]} {result}" for result in Result if counts[result]]
    show_lines(Text(f"{len(checks)} checked: {', '.join(parts) or 'nothing was graded'}."))
