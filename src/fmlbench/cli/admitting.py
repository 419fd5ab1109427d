"""Prepare and check tasks, and print the results."""

import shlex
from collections.abc import Sequence
from datetime import UTC, datetime

from rich.text import Text

from fmlbench.cli.console import show_json, show_lines, stderr_console, stdout_console
from fmlbench.cli.dirs import find_dirs
from fmlbench.cli.progress import progress_on
from fmlbench.cli.requests import isolation, sandbox_of
from fmlbench.core.errors import BadRequest
from fmlbench.core.progress import Progress
from fmlbench.core.run import Isolation
from fmlbench.core.task import SMOKE
from fmlbench.engine.admission import Finding, calibrate, check_task
from fmlbench.engine.preparation import prepare
from fmlbench.records.provenance import processor_name
from fmlbench.reports.untrusted import one_line
from fmlbench.sandbox.isolation import open_sandbox
from fmlbench.sandbox.protocol import Sandbox
from fmlbench.tasks.calibration import write_calibration
from fmlbench.tasks.folder import TaskFolder, read_task
from fmlbench.tasks.library import name_of
from fmlbench.workspace.dirs import Dirs


def prepare_folders(folders: Sequence[TaskFolder], track: str, *, unsealed: bool) -> None:
    """Prepare tasks sequentially."""
    dirs = find_dirs()
    sandbox = sandbox_of(isolation(unsealed=unsealed))
    for folder in folders:
        with progress_on(stderr_console()) as progress:
            prepare(folder, track, dirs=dirs, sandbox=sandbox, progress=progress)
        show_lines(Text(f"{folder.task.name} is ready. Next: {_run_command(folder, track)}"))


def _run_command(folder: TaskFolder, track: str) -> str:
    """The command that runs the prepared task."""
    whole = track.removesuffix(SMOKE)
    options = ([] if whole == "cpu" else ["--track", whole]) + (["--smoke"] if track != whole else [])
    return shlex.join(["fmlbench", "run", name_of(folder), *options])


def check_folder(folder: TaskFolder, track: str, *, quick: bool, measure: bool, as_json: bool) -> bool:
    """Check a task, print each finding, and return whether it is admitted."""
    dirs = find_dirs()
    sandbox = open_sandbox(Isolation.BUBBLEWRAP)
    findings: list[Finding] = []

    def report(finding: Finding) -> None:
        findings.append(finding)
        if not as_json:
            show_lines(_line(finding))

    with progress_on(stderr_console()) as progress:
        if measure:
            folder = _calibrated(folder, track, dirs, sandbox, progress)
        passed = check_task(folder, track, dirs=dirs, sandbox=sandbox, progress=progress, quick=quick, report=report)
    if as_json:
        show_json({"task": folder.task.name, "track": track, "admitted": passed, "findings": findings})
    else:
        stdout_console().print(_verdict(folder.task.name, passed=passed))
    return passed


def _calibrated(folder: TaskFolder, track: str, dirs: Dirs, sandbox: Sandbox, progress: Progress) -> TaskFolder:
    if track not in folder.task.tracks:
        raise BadRequest(f"Smoke track '{track}' cannot be calibrated.", hint="Leave out --calibrate.")
    prepared = prepare(folder, track, dirs=dirs, sandbox=sandbox, progress=progress)
    today = datetime.now(UTC).date().isoformat()
    measured = calibrate(prepared, dirs, progress, machine=processor_name(), date=today)
    write_calibration(folder.path / "task.toml", track, measured)
    return read_task(folder.path)


def _line(finding: Finding) -> Text:
    line = Text("ok    ", style="green") if finding.passed else Text("FAIL  ", style="bold red")
    return line.append(f"{finding.check}: {one_line(finding.detail)}", style="default")


def _verdict(name: str, *, passed: bool) -> Text:
    return Text(f"{name} is admitted.", style="bold green") if passed else Text(f"{name} is refused.", style="bold red")
