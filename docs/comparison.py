"""The table that compares every task with the paper's.

The paper's settings are in paper_setting.toml; a task's are in its manifest and in compared.toml in its folder:

    [cpu]      data, model, selection, schedule on that track
"""

import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path

from fmlbench.core.evaluation import Goal, Metric
from fmlbench.core.sources import Material
from fmlbench.tasks.folder import TaskFolder

HERE = Path(__file__).parent
ASPECTS = ("codebase", "data", "model", "metric", "selection", "schedule")
TRACK = "cpu"
UNDESCRIBED = "not described"


def comparison(folders: Iterable[TaskFolder]) -> Iterator[str]:
    """One table of all tasks that the paper has."""
    paper = tomllib.loads((HERE / "paper_setting.toml").read_text("utf-8"))
    yield "| task | | FML-bench | here |"
    yield "|---|---|---|---|"
    for folder in folders:
        name = folder.task.name
        if name in paper:
            here = _facts(folder)
            for number, aspect in enumerate(ASPECTS):
                first = f"[{name}](#{name})" if number == 0 else ""
                yield f"| {first} | {aspect} | {paper[name][aspect]} | {here.get(aspect, UNDESCRIBED)} |"


def _facts(folder: TaskFolder) -> dict[str, str]:
    listed = folder.path / "compared.toml"
    facts: dict[str, dict[str, str]] = tomllib.loads(listed.read_text("utf-8")) if listed.exists() else {}
    task = folder.task.on(TRACK)
    rules = " ".join(rule.text for rule in task.rules)
    metric = "; ".join(filter(None, (score_and_direction(task.metric), rules)))
    return {"codebase": named(task.codebase), "metric": metric, **facts.get(TRACK, {})}


def named(material: Material) -> str:
    """A material with its release, or with the first seven digits of its commit."""
    version = material.version
    return f"{material.name} at {version[:7]}" if len(version) == 40 else f"{material.name} {version}"


def score_and_direction(metric: Metric) -> str:
    """The name of the metric and its direction."""
    return f"{metric.name}, {'up' if metric.goal is Goal.MAXIMIZE else 'down'}"
