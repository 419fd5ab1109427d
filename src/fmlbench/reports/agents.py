"""The agents there are, for people and for programs."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from fmlbench.agents.registry import AgentEntry, model_settings
from fmlbench.reports.terminal_tables import plain_table


@dataclass(frozen=True)
class SettingRow:
    """What can be set, and what it is otherwise."""

    default: int | float | str
    meaning: str
    required: bool
    range: str
    """Which numbers will do; empty where all do."""


@dataclass(frozen=True)
class AgentRow:
    """What a user should know of an agent."""

    name: str
    description: str
    strategy: str
    proposer: str
    model: str
    """The language model that it uses unless another is named; empty where it does without."""
    settings: Mapping[str, SettingRow]
    model_settings: Sequence[str]
    """What can be set as well once a model is named; none where models have no settings or are not taken."""


def agent_rows(entries: Iterable[AgentEntry]) -> list[AgentRow]:
    """All agents by name, but for test doubles."""
    shown = (entry for entry in entries if not entry.is_double)
    return [agent_row(entry) for entry in sorted(shown, key=lambda entry: entry.name)]


def agent_table(rows: Sequence[AgentRow]) -> Table:
    """Agents, one per line, with their settings."""
    table = plain_table("agent", "what to expect", "proposer", "settings")
    for row in rows:
        settings = ", ".join(f"{name}={setting.default}" for name, setting in row.settings.items())
        table.add_row(Text(row.name, style="bold"), Text(row.description), Text(row.proposer), Text(settings or "none"))
    return table


def agent_page(row: AgentRow) -> RenderableType:
    """One agent, with what each of its settings means."""
    head = Text(f"{row.name}: ", style="bold").append(row.description, style="not bold")
    model = f", model {row.model} unless --model names another" if row.model else ""
    parts = Text(f"strategy {row.strategy}, proposer {row.proposer}{model}")
    more = _model_settings(row)
    if not row.settings:
        return Group(head, parts, Text("Nothing can be set."), *more)
    table = plain_table("--set", "default", "values", "meaning")
    for name, setting in row.settings.items():
        default = "must be given" if setting.required else str(setting.default)
        table.add_row(Text(name, style="bold"), Text(default), Text(setting.range or "any"), Text(setting.meaning))
    return Group(head, parts, Text(), table, *more)


def _model_settings(row: AgentRow) -> list[Text]:
    if not row.model_settings:
        return []
    names = ", ".join(row.model_settings)
    return [Text(), Text(f"With --model it also has the settings of models, which 'fmlbench models' explains: {names}")]


def agent_row(entry: AgentEntry) -> AgentRow:
    """One agent."""
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
