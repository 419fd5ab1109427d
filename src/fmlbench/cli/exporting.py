"""Export runs to bundles, and verify runs and bundles by regrading their answers."""

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
from fmlbench.engine.preparation import prepare
from fmlbench.engine.verification import Result, ScoreCheck, check_measures, verify_run
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
    """Write a run's bundle and print its path."""
    folder = find_run(run, find_dirs().runs)
    if not read_state(folder).finished:
        raise BadRequest(
            "The run is not finished, so its hidden scores cannot be exported yet.",
            hint=f"Finish it with: fmlbench resume {folder.path.name}",
        )
    target = output or Path(f"{folder.path.name}.tar.gz")
    measured = to_json(_measure(folder, embedder))
    try:
        manifest = pack(folder, measured, target)
    except OSError as error:
        raise BadRequest(
            f"The bundle cannot be written: {error.strerror} ({target}).", hint="Choose another file with -o."
        ) from error
    size = target.stat().st_size / 2**20
    show_lines(Text(f"{target}: {len(manifest.parts)} parts, {size:.1f} MB. Check it with: fmlbench verify {target}"))


def verify_word(word: str, task: str, secret: Path | None, embedder: str, *, as_json: bool) -> None:
    """Verify a run or a bundle, and print the result."""
    with _opened(word) as (folder, metrics):
        graded = _regrade(folder, task, secret)
        checks = [*graded, *(_remeasure(folder, metrics, embedder) if metrics else [])]
    if as_json:
        show_json(checks)
    else:
        _show_checks(checks)
    if any(check.result in (Result.DIFFERENT, Result.NOT_KEPT) for check in checks):
        raise typer.Exit(_DIFFERENT)


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
    return measure_run(trace_with_cloud(folder, find_embedder(embedder), find_dirs()))


def _show_checks(checks: Sequence[ScoreCheck]) -> None:
    mismatches = [check for check in checks if check.result is not Result.REPRODUCED]
    if mismatches:
        rows = [(check.what, check.result, score_text(check.logged), score_text(check.again)) for check in mismatches]
        show(to_table(DataTable(("score", "result", "logged", "regraded"), rows)))
    counts = Counter(check.result for check in checks)
    parts = [f"{counts[result]} {result}" for result in Result if counts[result]]
    show_lines(Text(f"{len(checks)} checked: {', '.join(parts) or 'no graded answers'}."))
