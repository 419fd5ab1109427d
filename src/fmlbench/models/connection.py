"""Find a model by its name: its endpoint, API and price."""

import difflib
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from fmlbench.core.errors import ModelUnavailable
from fmlbench.models.dialect import Dialect
from fmlbench.models.dialects.openai_chat import OPENAI_CHAT
from fmlbench.models.in_process import IN_PROCESS, InProcess
from fmlbench.models.local.catalogue import LOCAL_MODELS
from fmlbench.models.local.download import LOCAL, model_file
from fmlbench.models.local.process import CONTEXT_VARIABLE, require_installed, served
from fmlbench.models.names import ModelName, read_name
from fmlbench.models.prices import Pricing, free
from fmlbench.models.providers import SECONDS, SLOW_SECONDS, Provider, all_providers
from fmlbench.models.replay import Replay
from fmlbench.models.scripted import TINKER, ScriptedModel, TinkerModel, read_script
from fmlbench.models.upstream import Endpoint

SCRIPTED = "scripted"


@dataclass(frozen=True)
class Connection:
    """How a search agent reaches a model."""

    name: str
    """With the provider."""
    model: str
    """The name that the provider knows."""
    dialect: Dialect
    endpoint: Endpoint
    price: Pricing
    call_seconds: float = SECONDS
    """The timeout of a call."""
    prefix: str = ""
    """The beginning of the API's paths that is part of the endpoint's address."""
    hints: Mapping[int, str] = field(default_factory=dict[int, str])
    """What to do about an HTTP status."""


def open_model(name: str, models: Path, environment: Mapping[str, str] | None = None) -> Connection:
    """Find a model, with the keys in the environment; sends nothing. ``models`` is the folder of local models."""
    wanted = read_name(name)
    if wanted.provider == LOCAL:
        return _local(wanted, models)
    if wanted.provider == SCRIPTED:
        return Connection(name, wanted.model, IN_PROCESS, InProcess(_script(wanted)), free)
    provider = _provider(wanted)
    key_hint = f"Set {provider.keys[0] if provider.keys else 'the key'} to a key that works."
    return Connection(
        name=str(wanted),
        model=wanted.model,
        dialect=provider.dialects[0],
        endpoint=provider.upstream(
            wanted, os.environ if environment is None else environment, silence_seconds=provider.call_seconds
        ),
        price=provider.pricing(wanted),
        call_seconds=provider.call_seconds,
        prefix=provider.prefix,
        hints={401: key_hint, 403: key_hint, 404: "Check the model's name."},
    )


def replay_model(name: str, replay: Replay) -> Connection:
    """A model whose answers are replayed; needs no key, no file and no network."""
    wanted = read_name(name)
    if wanted.provider in {LOCAL, SCRIPTED}:
        return Connection(name, wanted.model, OPENAI_CHAT if wanted.provider == LOCAL else IN_PROCESS, replay, free)
    provider = _provider(wanted)
    return Connection(name, wanted.model, provider.dialects[0], replay, free, prefix=provider.prefix)


def is_free(name: str) -> bool:
    """Whether a model runs on this machine."""
    return read_name(name).provider in {SCRIPTED, LOCAL}


def resolved_name(name: str, folder: Path = Path()) -> str:
    """The name for the record: paths of model files, relative to ``folder``, become absolute."""
    wanted = read_name(name)
    is_file = is_free(name) and wanted.model.endswith((".json", ".gguf"))
    return f"{wanted.provider}/{(folder / wanted.model).absolute()}" if is_file else name


def _provider(wanted: ModelName) -> Provider:
    providers = all_providers()
    if wanted.provider not in providers:
        names = [*providers, LOCAL, SCRIPTED]
        close = difflib.get_close_matches(wanted.provider, names, n=1)
        hint = f"Did you mean '{close[0]}/{wanted.model}'?" if close else f"Known providers: {', '.join(names)}."
        raise ModelUnavailable(f"There is no provider named '{wanted.provider}'.", hint=hint)
    return providers[wanted.provider]


def _local(name: ModelName, models: Path) -> Connection:
    require_installed()
    file = model_file(name.model, models)
    if not file.is_file():
        known = name.model in LOCAL_MODELS
        hint = f"fmlbench models fetch {name}" if known else f"Known models: {', '.join(LOCAL_MODELS)}, or a path.gguf."
        raise ModelUnavailable(f"The file of {name} does not exist.", hint=hint)
    hint = f"Prompt and answer must fit: set {CONTEXT_VARIABLE} higher, or --set context_tokens lower."
    return Connection(str(name), file.stem, OPENAI_CHAT, served(file), free, SLOW_SECONDS, hints={400: hint})


def _script(name: ModelName) -> ScriptedModel | TinkerModel:
    if name.model == TINKER:
        return TinkerModel(str(name))
    return ScriptedModel(str(name), read_script(Path(name.model)))
