"""The table that sets every task beside the paper's.

What the paper does is in paper_setting.toml; what a task does is in its manifest and in compared.toml in its folder:

    [cpu]      data, model, selection, schedule on that track
"""

import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path

from fmlbench.core.metric import Goal, Metric
from fmlbench.core.sources import Material
from fmlbench.tasks.folder import TaskFolder

HERE = Path(__file__).parent
ASPECTS = ("codebase", "data", "model", "metric", "selection", "schedule")
TRACK = "cpu"
UNTOLD = "not described"


def comparison(folders: Iterable[TaskFolder]) -> Iterator[str]:
    """One table of all tasks that the paper has; `selection` is what validates and what tests."""
    paper = tomllib.loads((HERE / "paper_setting.toml").read_text("utf-8"))
    yield "| task | | FML-bench | here |"
    yield "|---|---|---|---|"
    for folder in folders:
        name = folder.task.name
        if name in paper:
            here = _facts(folder)
            for number, aspect in enumerate(ASPECTS):
                first = f"[{name}](#{name})" if number == 0 else ""
                yield f"| {first} | {aspect} | {paper[name][aspect]} | {here.get(aspect, UNTOLD)} |"


def _facts(folder: TaskFolder) -> dict[str, str]:
    told = folder.path / "compared.toml"
    facts: dict[str, dict[str, str]] = tomllib.loads(told.read_text("utf-8")) if told.exists() else {}
    task = folder.task.on(TRACK)
    rules = " ".join(rule.text for rule in task.rules)
    metric = "; ".join(filter(None, (score_and_direction(task.metric), rules)))
    return {"codebase": named(task.codebase), "metric": metric, **facts.get(TRACK, {})}


def named(material: Material) -> str:
    """A material by its release, or by as much of its commit as people read."""
    version = material.version
    return f"{material.name} at {version[:7]}" if len(version) == 40 else f"{material.name} {version}"


def score_and_direction(metric: Metric) -> str:
    """What is measured, and which way is better."""
    return f"{metric.name}, {'up' if metric.goal is Goal.MAXIMIZE else 'down'}"
