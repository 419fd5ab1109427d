"""The list of agents, as a table and as data."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from fmlbench.agents.registry import AgentEntry, model_settings
from fmlbench.reports.table import plain_table


@dataclass(frozen=True)
class SettingRow:
    """A setting and its default."""

    default: int | float | str
    meaning: str
    required: bool
    range: str
    """The valid values; empty if all are valid."""


@dataclass(frozen=True)
class AgentRow:
    """The description of an agent."""

    name: str
    description: str
    strategy: str
    proposer: str
    model: str
    """Its default language model; empty if it uses none."""
    settings: Mapping[str, SettingRow]
    model_settings: Sequence[str]
    """Additional settings with --model; empty if it accepts no model."""


def agent_rows(entries: Iterable[AgentEntry]) -> list[AgentRow]:
    """All agents sorted by name, without test doubles."""
    shown = (entry for entry in entries if not entry.is_double)
    return [agent_row(entry) for entry in sorted(shown, key=lambda entry: entry.name)]


def agent_table(rows: Sequence[AgentRow]) -> Table:
    """One row per agent, with its settings."""
    table = plain_table("agent", "description", "proposer", "settings")
    for row in rows:
        settings = ", ".join(f"{name}={setting.default}" for name, setting in row.settings.items())
        table.add_row(Text(row.name, style="bold"), Text(row.description), Text(row.proposer), Text(settings or "none"))
    return table


def agent_page(row: AgentRow) -> RenderableType:
    """One agent with the meaning of each setting."""
    head = Text(f"{row.name}: ", style="bold").append(row.description, style="not bold")
    model = f", default model {row.model}" if row.model else ""
    parts = Text(f"strategy {row.strategy}, proposer {row.proposer}{model}")
    more = _model_settings(row)
    if not row.settings:
        return Group(head, parts, Text("This agent has no settings."), *more)
    table = plain_table("--set", "default", "values", "meaning")
    for name, setting in row.settings.items():
        default = "required" if setting.required else str(setting.default)
        table.add_row(Text(name, style="bold"), Text(default), Text(setting.range or "any"), Text(setting.meaning))
    return Group(head, parts, Text(), table, *more)


def _model_settings(row: AgentRow) -> list[Text]:
    if not row.model_settings:
        return []
    names = ", ".join(row.model_settings)
    return [Text(), Text(f"Additional settings with --model, explained by 'fmlbench models': {names}")]


def agent_row(entry: AgentEntry) -> AgentRow:
    """The description of one agent."""
    return AgentRow(
        name=entry.name,
        description=entry.description,
        strategy=entry.strategy,
        proposer=entry.proposer,
        model=entry.default_model or "",
        settings={
            name: SettingRow(setting.default, setting.meaning, setting.required, setting.range)
            for name, setting in entry.settings.items()
        },
        model_settings=list(model_settings(entry)),
    )
