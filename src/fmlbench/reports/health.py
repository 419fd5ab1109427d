"""What works on a machine and what is missing, for a person."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from fmlbench.reports.untrusted import one_line


class Health(StrEnum):
    """How something is."""

    WORKS = "works"
    LATER = "later"
    """Not there yet; it comes by itself, or the command gets it now."""
    OPTIONAL = "optional"
    """Not there, and only some need it."""
    MISSING = "missing"
    """Runs need it."""


@dataclass(frozen=True)
class Symptom:
    """One thing that was looked at."""

    what: str
    health: Health
    detail: str
    patch: str = ""
    """The command, or the change, that mends it."""


_STYLES = {Health.WORKS: "green", Health.MISSING: "bold red", Health.OPTIONAL: "yellow", Health.LATER: "cyan"}


def is_well(symptoms: Sequence[Symptom]) -> bool:
    """Whether sealed runs can be played here."""
    return all(symptom.health is not Health.MISSING for symptom in symptoms)


def health_table(symptoms: Sequence[Symptom]) -> RenderableType:
    """One line per thing that was looked at, then the verdict."""
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    for symptom in symptoms:
        detail = Text(one_line(symptom.detail))
        if symptom.patch:
            detail.append(f"\n{one_line(symptom.patch)}", style="bold")
        table.add_row(Text(str(symptom.health), style=_STYLES[symptom.health]), symptom.what, detail)
    if is_well(symptoms):
        verdict = Text("All that sealed runs need is here. Next: fmlbench bench", style="green")
    else:
        verdict = Text("Something that runs need is missing; the lines above say how to mend it.", style="bold red")
    return Group(table, Text(), verdict)
