"""The brief as a page of Markdown: exactly what an agent is told."""

from collections.abc import Iterable

from fmlbench.core.brief import Brief, StageBrief
from fmlbench.core.figures import score_text
from fmlbench.core.metric import Goal


def brief_page(brief: Brief) -> str:
    """Write a brief down for people, and for agents that read prose."""
    sections = (
        f"# {brief.title}",
        brief.question,
        f"Task `{brief.task}`, track `{brief.track}`, " + ("sealed." if brief.sealed else "**UNSEALED**."),
        brief.instructions.strip().removeprefix(f"# {brief.title}").strip(),
        "## Score",
        _score(brief),
        "## Repository",
        f"{brief.codebase}. Every file can be read; `*` marks those that may be changed.",
        _code_block(f"{'*' if path in brief.editable else ' '} {path}" for path in brief.repository),
        "## What may be changed",
        f"Files that match {', '.join(f'`{glob}`' for glob in brief.patterns)}; new ones too. Good places to start:",
        _bullets(f"`{path}`" for path in brief.suggested),
        "## What no change can reach",
        _bullets(brief.protected),
        "## Commands",
        _bullets(_command(stage) for stage in brief.commands),
        "## Rules",
        _bullets(brief.rules),
    )
    return "\n\n".join(sections) + "\n"


def _score(brief: Brief) -> str:
    metric = brief.metric
    direction = "higher is better" if metric.goal is Goal.MAXIMIZE else "lower is better"
    lines = [f"`{metric.name}`: {direction}; perfect is {metric.best:g}, useless is {metric.worst:g}."]
    if brief.baseline_score is not None:
        lines.append(f"The baseline scores {score_text(brief.baseline_score)} on validation.")
    if brief.sigma is not None:
        lines.append(f"Its standard deviation over seeds is {score_text(brief.sigma)}; smaller differences are noise.")
    return "\n".join(lines)


def _command(stage: StageBrief) -> str:
    limits = stage.limits
    return (
        f"{stage.name}: `{stage.command}` within {limits.cpu_seconds:g} s of CPU time, {limits.memory_mb} MB memory, "
        f"{limits.disk_mb} MB disk and {limits.processes} processes"
    )


def _bullets(lines: Iterable[str]) -> str:
    return "\n".join(f"- {line}" for line in lines) or "- none"


def _code_block(lines: Iterable[str]) -> str:
    return "\n".join(("```", *lines, "```"))
