"""fmlbench show: show a run and its steps."""

from typing import Annotated

import typer
from rich.console import Group
from rich.text import Text

from fmlbench.cli.console import show as show_result
from fmlbench.cli.console import show_json, show_lines
from fmlbench.cli.dirs import find_dirs
from fmlbench.cli.options import JsonOption, RunArgument
from fmlbench.core.errors import BadRequest
from fmlbench.core.steps import Step
from fmlbench.records.folder import RunFolder, find_run
from fmlbench.records.replay import RunState, read_state
from fmlbench.reports.steps import step_rows
from fmlbench.reports.summary import read_summary, task_of
from fmlbench.reports.terminal import render_summary
from fmlbench.reports.tree import step_tree
from fmlbench.reports.untrusted import clean
from fmlbench.workspace.snapshots import Snapshots

_DIFF_STYLES = {"+": "green", "-": "red", "@": "cyan"}


def show(
    run: RunArgument,
    diff: Annotated[
        int | None, typer.Option(metavar="STEP", help="Show the diff of a step against its parent.")
    ] = None,
    log: Annotated[int | None, typer.Option(metavar="STEP", help="Show the output of a step's experiment.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Show the summary and the steps of a run.

    The steps are shown as a tree with scores, outcomes and ideas.
    """
    if diff is not None and log is not None:
        raise BadRequest("--diff and --log cannot be combined.", hint="Leave out one of them.")
    folder = find_run(run, find_dirs().runs)
    if diff is not None:
        _show_diff(folder, diff, as_json=as_json)
    elif log is not None:
        _show_log(folder, log, as_json=as_json)
    else:
        _show_run(folder, as_json=as_json)


def _show_run(folder: RunFolder, *, as_json: bool) -> None:
    """Show the summary and the tree of steps."""
    summary = read_summary(folder)
    state = read_state(folder)
    rows = step_rows(state, task_of(summary.spec, state).metric)
    if as_json:
        show_json({"folder": folder.path, "summary": summary, "steps": rows})
    else:
        show_result(Group(render_summary(summary, place=str(folder.path), has_tree=True), Text(), step_tree(rows)))


def _show_diff(folder: RunFolder, index: int, *, as_json: bool) -> None:
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


def _show_log(folder: RunFolder, index: int, *, as_json: bool) -> None:
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
