"""The agents there are, for people and for programs."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from rich.table import Table
from rich.text import Text

from fmlbench.agents.catalogue import AgentEntry
from fmlbench.reports.tables import plain_table


@dataclass(frozen=True)
class SettingRow:
    """What can be set, and what it is otherwise."""

    default: int | float | str
    meaning: str
    required: bool


@dataclass(frozen=True)
class AgentRow:
    """What a user should know of an agent."""

    name: str
    description: str
    strategy: str
    proposer: str
    settings: Mapping[str, SettingRow]


def agent_rows(entries: Iterable[AgentEntry]) -> list[AgentRow]:
    """All agents by name, but for test doubles."""
    shown = (entry for entry in entries if not entry.is_double)
    return [_row(entry) for entry in sorted(shown, key=lambda entry: entry.name)]


def agent_table(rows: Sequence[AgentRow]) -> Table:
    """Agents, one per line, with their settings."""
    table = plain_table("agent", "what to expect", "strategy", "proposer", "settings")
    for row in rows:
        settings = "\n".join(f"{name}={setting.default}: {setting.meaning}" for name, setting in row.settings.items())
        table.add_row(
            Text(row.name, style="bold"),
            Text(row.description),
            Text(row.strategy),
            Text(row.proposer),
            Text(settings or "none"),
        )
    return table


def _row(entry: AgentEntry) -> AgentRow:
    return AgentRow(
        name=entry.name,
        description=entry.description,
        strategy=entry.strategy,
        proposer=entry.proposer,
        settings={
            name: SettingRow(default=setting.default, meaning=setting.meaning, required=setting.required)
            for name, setting in entry.settings.items()
        },
    )
