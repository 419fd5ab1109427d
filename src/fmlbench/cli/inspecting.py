"""Show what is in a run's folder: its steps, their diffs, and their logs."""

from pathlib import Path

from rich.console import Group
from rich.text import Text

from fmlbench.cli.console import show, show_json, show_lines, stderr_console
from fmlbench.core.errors import BadRequest, FmlbenchError
from fmlbench.core.steps import Step
from fmlbench.records.folder import RunFolder
from fmlbench.records.replay import RunState, read_state
from fmlbench.reports.steps import step_rows
from fmlbench.reports.summary import RunSummary, read_summary, task_of
from fmlbench.reports.terminal import render_summary
from fmlbench.reports.terminal_tables import run_table
from fmlbench.reports.tree import step_tree
from fmlbench.reports.untrusted import clean, one_line
from fmlbench.workspace.snapshots import Snapshots

_DIFF_STYLES = {"+": "green", "-": "red", "@": "cyan"}


def list_runs(runs: Path, *, as_json: bool) -> None:
    """List all runs of a folder, the newest last. Unreadable runs are reported and skipped."""
    found: list[tuple[RunFolder, RunSummary]] = []
    for specification in sorted(runs.glob("*/run.json")):
        run = RunFolder(specification.parent)
        try:
            found.append((run, read_summary(run)))
        except FmlbenchError as error:
            left_out = Text(f"skipped {run.path.name}: {one_line(error.message)}", "yellow")
            stderr_console().print(left_out, soft_wrap=True)
    found.sort(key=lambda run: run[1].started)
    if as_json:
        show_json([{"folder": run.path, "summary": summary} for run, summary in found])
    elif found:
        show(run_table([summary for _, summary in found]))
    else:
        show_lines(Text(f"No runs in {runs} yet. Start one with: fmlbench run TASK"))


def show_run(folder: RunFolder, *, as_json: bool) -> None:
    """Show the summary and the tree of steps."""
    summary = read_summary(folder)
    state = read_state(folder)
    rows = step_rows(state, task_of(summary.spec, state).metric)
    if as_json:
        show_json({"folder": folder.path, "summary": summary, "steps": rows})
    else:
        show(Group(render_summary(summary, place=str(folder.path), has_tree=True), Text(), step_tree(rows)))


def show_diff(folder: RunFolder, index: int, *, as_json: bool) -> None:
    """Show a step's diff against its first parent."""
    state = read_state(folder)
    step = _step(state, index)
    if not step.move.parents:
        raise BadRequest(f"Step {index} is the baseline and has no diff.", hint="Choose another step.")
    parent = step.move.parents[0]
    diff = Snapshots(folder.code).diff(state.steps[parent].snapshot, step.snapshot)
    if as_json:
        show_json({"step": index, "parent": parent, "idea": step.idea, "diff": diff})
    elif diff:
        show_lines(_coloured(clean(diff)))
    else:
        show_lines(Text(f"Step {index} has the same code as step {parent}."))


def show_log(folder: RunFolder, index: int, *, as_json: bool) -> None:
    """Show the stored output of a step's experiment."""
    state = read_state(folder)
    step = _step(state, index)
    logs = _logs(folder, state, index)
    if as_json:
        show_json({"step": index, "logs": logs})
        return
    for name, text in logs.items():
        show_lines(Text(f"== {name}", style="bold"))
        show_lines(Text(clean(text).rstrip("\n")))
    if not logs:
        show_lines(Text(f"Step {index} has no log: {step.evaluation.outcome}. {clean(step.evaluation.reason)}"))


def _step(state: RunState, index: int) -> Step:
    if not 0 <= index < len(state.steps):
        last = len(state.steps) - 1
        raise BadRequest(
            f"Step {index} does not exist.", hint=f"The last step is {last}." if state.steps else "No step is done yet."
        )
    return state.steps[index]


def _logs(folder: RunFolder, state: RunState, index: int) -> dict[str, str]:
    """Log texts by path within the step's folder. Logs of sealed exams are hidden until the run is finished."""
    root = folder.step(index)
    paths = [path.relative_to(root) for path in sorted(root.rglob("*.log")) if path.is_file() and not path.is_symlink()]
    return {
        str(path): (root / path).read_text("utf-8", "replace")
        for path in paths
        if state.finished or "sealed" not in path.parts
    }


def _coloured(diff: str) -> Text:
    text = Text()
    for line in diff.splitlines(keepends=True):
        is_header = line.startswith(("+++", "---", "diff "))
        text.append(line, style="bold" if is_header else _DIFF_STYLES.get(line[0], ""))
    return text
