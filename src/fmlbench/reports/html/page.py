"""Build the report and render it as one HTML file."""

import base64
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from fmlbench import __version__
from fmlbench.core.run import agent_names
from fmlbench.metrics.catalogue import all_measures
from fmlbench.reports.html.comparison_groups import ComparisonGroup, make_comparison_groups
from fmlbench.reports.html.run_page import RunPage, run_page
from fmlbench.reports.html.run_records import RunRecord
from fmlbench.reports.summary import RunPhase

_ROOM_OF_ONE_RUN = 2_000_000
_ROOM_OF_ALL_RUNS = 20_000_000
"""Maximum bytes of ideas, diffs and logs in a report; a truncated diff names the command that shows all of it."""


@dataclass(frozen=True)
class Report:
    """The content of the page."""

    title: str
    written: str
    """Date and time."""
    version: str
    groups: Sequence[ComparisonGroup]
    runs: Sequence[RunPage]
    refresh_seconds: int | None
    """Interval at which the page reloads itself; None if all runs are complete."""


def make_report(runs: Sequence[RunRecord], *, written: str, refresh_seconds: int | None = None) -> Report:
    """Build the content of the page; ``written`` is its date."""
    names = agent_names([run.spec.agent for run in runs])
    keyed = {f"r{number}": replace(run, agent=name) for number, (run, name) in enumerate(zip(runs, names, strict=True))}
    room = min(_ROOM_OF_ONE_RUN, _ROOM_OF_ALL_RUNS // max(len(runs), 1))
    return Report(
        title=_title(list(keyed.values())),
        written=written,
        version=__version__,
        groups=make_comparison_groups(keyed),
        runs=[run_page(run, key, room) for key, run in keyed.items()],
        refresh_seconds=None if all_complete(runs) else refresh_seconds,
    )


def all_complete(runs: Sequence[RunRecord]) -> bool:
    """Whether all runs are complete."""
    return all(run.summary.stage is RunPhase.COMPLETE for run in runs)


def render(report: Report) -> str:
    """The page as one self-contained file."""
    style, script = _asset("report.css"), _asset("report.js")
    return (
        _environment()
        .get_template("page.html")
        .render(
            report=report,
            measures=all_measures(),
            style=Markup(style),  # noqa: S704 - our own file
            script=Markup(script),  # noqa: S704 - our own file
            style_hash=_hash(style),
            script_hash=_hash(script),
        )
    )


@cache
def _environment() -> Environment:
    return Environment(
        loader=PackageLoader("fmlbench.reports.html"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


@cache
def _asset(name: str) -> str:
    return (files("fmlbench.reports.html") / "templates" / name).read_text("utf-8")


def _hash(text: str) -> str:
    """The hash of a style sheet or script in the page's Content-Security-Policy."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode('ascii')}"


def _title(runs: Sequence[RunRecord]) -> str:
    if len(runs) == 1:
        return f"{runs[0].trace.task.name}: {runs[0].agent}, seed {runs[0].spec.seed}"
    counts = (
        (len({run.agent for run in runs}), "agent"),
        (len({run.trace.task.name for run in runs}), "task"),
        (len(runs), "run"),
    )
    return ", ".join(f"{count} {what}{'' if count == 1 else 's'}" for count, what in counts)
