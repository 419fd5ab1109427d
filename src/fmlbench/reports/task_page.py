"""One task on a page: where it comes from, what may be changed, how it is scored, what its tracks take."""

import shlex

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from fmlbench.core.figures import score_text
from fmlbench.core.metric import Goal
from fmlbench.core.sources import Material
from fmlbench.core.task import Figure, Limits, Task, Track
from fmlbench.reports.number_text import duration_text
from fmlbench.reports.terminal_tables import plain_table
from fmlbench.tasks.folder import TaskFolder
from fmlbench.tasks.library import name_of


def task_page(folder: TaskFolder) -> RenderableType:
    """All that a user wants to know before running a task."""
    task = folder.task
    facts = Table.grid(padding=(0, 2))
    facts.add_column(style="bold", no_wrap=True)
    facts.add_column(overflow="fold")
    for name, value in _facts(task):
        facts.add_row(name, Text(value))
    facts.add_row("folder", Text(str(folder.path)))
    return Group(
        Text(f"{task.name}: {task.title}", style="bold"),
        Text(task.question),
        Text(),
        facts,
        Text(),
        _track_table(task),
        Text(),
        Text(f"What an agent is told: fmlbench brief {shlex.quote(name_of(folder))}"),
    )


def _facts(task: Task) -> list[tuple[str, str]]:
    direction = "higher is better" if task.metric.goal is Goal.MAXIMIZE else "lower is better"
    return [
        ("score", f"{task.metric.name}, {direction}; perfect {task.metric.best:g}, useless {task.metric.worst:g}"),
        ("codebase", _material(task.codebase)),
        ("data", "; ".join(_material(item) for item in task.data) or "made by the task itself"),
        ("download", _download(task.megabytes)),
        ("editable", ", ".join(task.editable.globs)),
        ("start with", ", ".join(task.editable.suggested)),
        ("protected", "\n".join(task.protected)),
        ("rules", "\n".join(rule.text for rule in task.rules) or "none beyond the standing ones"),
        ("expert", " ".join(filter(None, (task.reference.idea, task.reference.citation)))),
        ("suites", ", ".join(task.suites) or "none"),
    ]


def _material(material: Material) -> str:
    sources = ", ".join(dict.fromkeys(source.kind for source in material.sources))
    return f"{material.name} {material.version} ({material.licence}; {material.homepage}; had by {sources})"


def _download(megabytes: float | None) -> str:
    if megabytes is None:
        return "nobody has said how much"
    return f"{megabytes:.1f} MB for codebase and data, and the Python packages of the environment"


def _track_table(task: Task) -> Table:
    table = plain_table("track", "threads", "memory", "CPU limit", "CPU per step", "baseline", "expert", "measured")
    for name, track in task.tracks.items():
        memory = max(limits.memory_mb for limits in _limits(track))
        table.add_row(
            Text(name, style="bold"),
            Text(str(track.threads)),
            Text(f"{memory} MB"),
            Text(duration_text(sum(limits.cpu_seconds for limits in _limits(track)))),
            *_measured(track),
        )
    return table


def _limits(track: Track) -> list[Limits]:
    return [*(training.limits for training in track.training), track.exam.limits]


def _measured(track: Track) -> tuple[Text, Text, Text, Text]:
    calibration = track.calibration
    if calibration is None:
        return Text("-"), Text("-"), Text("-"), Text("not yet")
    return (
        Text(duration_text(calibration.step_cpu_seconds)),
        Text(_figure(calibration.baseline.test)),
        Text(_figure(calibration.reference.test)),
        Text(f"{calibration.date}, {calibration.machine}"),
    )


def _figure(figure: Figure) -> str:
    return f"{score_text(figure.mean)} (sd {score_text(figure.sd)}, n = {figure.n})"
