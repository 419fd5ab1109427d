"""The brief as a Markdown page, as agents read it."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from pathlib import PurePosixPath

from fmlbench.core.agents import Brief, StageBrief
from fmlbench.core.evaluation import Goal
from fmlbench.core.text import score_text


def brief_page(brief: Brief, listed_bytes: int | None = None) -> str:
    """Format a brief; the long file list comes last.

    ``listed_bytes`` limits the file list, which then starts with the editable files.
    """
    listing = list(_listing(brief.repository, frozenset(brief.editable)))
    sections = (
        f"# {brief.title}",
        brief.question,
        f"Task `{brief.task}`, track `{brief.track}`, " + ("sealed." if brief.sealed else "**UNSEALED**."),
        brief.instructions.strip().removeprefix(f"# {brief.title}").strip(),
        "## Score",
        _score(brief),
        "## General rules",
        _bullets(brief.rules),
        "## Commands",
        _bullets(_command(stage) for stage in brief.commands),
        f"Python packages: {', '.join(brief.packages) or 'only the standard library'}.",
        "## Protected",
        _bullets(brief.protected),
        "## Editable files",
        f"Files that match {', '.join(f'`{glob}`' for glob in brief.patterns)}, new ones included. Start with:",
        _bullets(f"`{path}`" for path in brief.suggested),
        "## Repository",
        f"{brief.codebase}. You can read every file; `*` marks editable ones.",
        _code_block(listing if listed_bytes is None else _shorten(listing, listed_bytes)),
    )
    return "\n\n".join(sections) + "\n"


def _listing(repository: Iterable[str], editable: frozenset[str]) -> Iterator[str]:
    """Every file, but each folder without editable files as a single line, to keep the list short."""
    opened = {folder for path in editable for folder in PurePosixPath(path).parents}
    folded = Counter(_closed_folder(path, opened) for path in repository)
    listed: set[str] = set()
    for path in repository:
        folder = _closed_folder(path, opened)
        if folder is None:
            yield f"{'*' if path in editable else ' '} {path}"
        elif folder not in listed:
            listed.add(folder)
            yield f"  {folder}/ ({folded[folder]} {'file' if folded[folder] == 1 else 'files'})"


def _shorten(listing: Sequence[str], most_bytes: int) -> list[str]:
    """As many lines as fit, editable files first, and the number of omitted lines."""
    lines = sorted(listing, key=lambda line: not line.startswith("*"))
    fitting = sum(size <= most_bytes for size in accumulate(len(line.encode()) + 1 for line in lines))
    if fitting == len(lines):
        return list(listing)
    return [*lines[:fitting], f"... and {len(lines) - fitting} more: 'fml brief' lists all"]


def _closed_folder(path: str, opened: set[PurePosixPath]) -> str | None:
    """The outermost folder of a path without editable files; None if all its folders have some."""
    folders = [folder for folder in reversed(PurePosixPath(path).parents) if folder != PurePosixPath()]
    return next((str(folder) for folder in folders if folder not in opened), None)


def _score(brief: Brief) -> str:
    metric = brief.metric
    direction = "higher is better" if metric.goal is Goal.MAXIMIZE else "lower is better"
    scale = f"the best possible score is {metric.best:g}, a useless method scores {metric.worst:g}"
    lines = [f"`{metric.name}`: {direction}; {scale}."]
    if brief.baseline_score is not None:
        lines.append(f"The baseline scores {score_text(brief.baseline_score)} on validation.")
    if brief.sigma is not None:
        lines.append(
            f"Its standard deviation over samples is {score_text(brief.sigma)}. All steps of a run are scored on "
            "the same sample, so smaller differences between steps can be real."
        )
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
