"""Format the checks of 'fmlbench doctor'."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from fmlbench.reports.untrusted import one_line


class Health(StrEnum):
    """The result of a check."""

    WORKS = "works"
    LATER = "later"
    """Not there yet; created when needed, or now by the command."""
    OPTIONAL = "optional"
    """Missing, but needed only for some uses."""
    MISSING = "missing"
    """Missing and required for runs."""


@dataclass(frozen=True)
class MachineCheck:
    """One check of the machine."""

    what: str
    health: Health
    detail: str
    fix: str = ""
    """The command or change that fixes it."""


_STYLES = {Health.WORKS: "green", Health.MISSING: "bold red", Health.OPTIONAL: "yellow", Health.LATER: "cyan"}


def is_healthy(checks: Sequence[MachineCheck]) -> bool:
    """Whether sealed runs are possible on this machine."""
    return all(check.health is not Health.MISSING for check in checks)


def health_table(checks: Sequence[MachineCheck]) -> RenderableType:
    """One row per check, then the verdict."""
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    for check in checks:
        detail = Text(one_line(check.detail))
        if check.fix:
            detail.append(f"\n{one_line(check.fix)}", style="bold")
        table.add_row(Text(str(check.health), style=_STYLES[check.health]), check.what, detail)
    if is_healthy(checks):
        verdict = Text("Everything that sealed runs need is available. Next: fmlbench bench", style="green")
    else:
        verdict = Text("Something required is missing; the lines above say how to fix it.", style="bold red")
    return Group(table, Text(), verdict)
