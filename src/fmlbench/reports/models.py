"""Tables of model providers, model settings and the test of a model."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.table import Table
from rich.text import Text

from fmlbench.agents.proposers.llm.config import PromptConfig
from fmlbench.agents.settings import settings_of
from fmlbench.models.chat import Reply
from fmlbench.models.connection import SCRIPTED
from fmlbench.models.local.catalogue import LOCAL_MODELS, LocalModel
from fmlbench.models.local.download import LOCAL, model_file
from fmlbench.models.local.process import is_installed
from fmlbench.models.prices import FREE
from fmlbench.models.providers import Provider, all_providers
from fmlbench.models.scripted import TINKER
from fmlbench.reports.terminal_tables import plain_table
from fmlbench.reports.untrusted import one_line


@dataclass(frozen=True)
class ProviderRow:
    """The state of a provider."""

    name: str
    description: str
    is_ready: bool
    missing: str
    """How to fix what is missing; empty if nothing is."""
    base_url: str
    """Empty if the provider has no fixed address."""


def provider_rows(environment: Mapping[str, str], models: Path) -> list[ProviderRow]:
    """All providers, and whether they are usable: key set, model downloaded."""
    rows = [_row(provider, environment) for provider in all_providers().values()]
    rows += [_local_row(model, models) for model in LOCAL_MODELS.values()]
    scripted = f"recorded answers from a file ({SCRIPTED}/FILE) or changed numbers ({SCRIPTED}/{TINKER}); needs nothing"
    return [*rows, ProviderRow(SCRIPTED, scripted, is_ready=True, missing="", base_url="")]


def provider_table(rows: Sequence[ProviderRow]) -> Table:
    """One row per provider."""
    table = plain_table("provider", "models", "ready", "missing")
    for row in rows:
        ready = Text("yes", style="green") if row.is_ready else Text("no", style="yellow")
        table.add_row(Text(row.name, style="bold"), Text(row.description), ready, Text(row.missing))
    return table


def model_settings_table() -> Table:
    """The settings of all agents that use a model."""
    table = plain_table("--set, with --model", "default", "meaning")
    for name, setting in settings_of(PromptConfig).items():
        table.add_row(Text(name, style="bold"), Text(str(setting.default) or "none"), Text(setting.meaning))
    return table


def trial_table(reply: Reply) -> Table:
    """The result of the test of a model."""
    table = Table.grid(padding=(0, 2))
    tokens = reply.tokens
    for name, value in (
        ("answer", one_line(reply.text, 200) or "none"),
        ("served by", one_line(reply.served_by, 200) or "unknown"),
        ("tokens", f"{tokens.input} input, {tokens.output} output ({tokens.reasoning} of them reasoning)"),
        ("cost", _price(reply)),
        ("time", f"{reply.seconds:.1f} s"),
    ):
        table.add_row(Text(name, style="bold"), Text(value))
    return table


def _price(reply: Reply) -> str:
    if reply.dollars is None:
        return "unknown"
    return f"none, {FREE}" if reply.priced_by == FREE else f"${reply.dollars:.6f}, by {reply.priced_by}"


def _local_row(model: LocalModel, models: Path) -> ProviderRow:
    name = f"{LOCAL}/{model.name}"
    wanted = [
        "" if is_installed() else f"pip install 'fmlbench[{LOCAL}]'",
        "" if model_file(model.name, models).exists() else f"fmlbench models fetch {name}",
    ]
    description = f"{model.description} ({model.size_bytes / 1e9:.1f} GB); {LOCAL}/PATH.gguf runs any other"
    return ProviderRow(name, description, is_ready=not any(wanted), missing=_joined(wanted), base_url="")


def _joined(words: Sequence[str]) -> str:
    return "; ".join(word for word in words if word)


def _row(provider: Provider, environment: Mapping[str, str]) -> ProviderRow:
    has_key = not provider.needs_key or bool(provider.key_in(environment))
    return ProviderRow(
        name=provider.name,
        description=provider.description,
        is_ready=has_key,
        missing="" if has_key else f"export {provider.keys[0]}=...",
        base_url=provider.base_url_in(environment),
    )
