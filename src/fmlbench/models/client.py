"""Open a model by its name."""

import difflib
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from fmlbench.core.errors import ModelUnavailable
from fmlbench.models.chat import ChatModel
from fmlbench.models.local.catalogue import LOCAL_MODELS
from fmlbench.models.local.download import LOCAL, model_file
from fmlbench.models.local.process import require_installed, served
from fmlbench.models.names import ModelName, read_name
from fmlbench.models.prices import Pricing, free
from fmlbench.models.providers.access import SECONDS, SLOW_SECONDS
from fmlbench.models.providers.catalogue import PROVIDERS
from fmlbench.models.scripted import TINKER, ScriptedModel, TinkerModel, read_script

SCRIPTED = "scripted"


@dataclass(frozen=True)
class OpenModel:
    """A model's client and its price."""

    chat: ChatModel
    price: Pricing
    call_seconds: float = SECONDS
    """The timeout of a call."""


def open_model(name: str, models: Path, environment: Mapping[str, str] | None = None) -> OpenModel:
    """Open a model with the keys in the environment; sends nothing. ``models`` is the folder of local models."""
    wanted = read_name(name)
    if wanted.provider == LOCAL:
        return OpenModel(_local(wanted, models), free, SLOW_SECONDS)
    if wanted.provider == SCRIPTED:
        return OpenModel(_script(wanted), free)
    provider = PROVIDERS.get(wanted.provider)
    if provider is None:
        names = [*PROVIDERS, LOCAL, SCRIPTED]
        close = difflib.get_close_matches(wanted.provider, names, n=1)
        hint = f"Did you mean '{close[0]}/{wanted.model}'?" if close else f"Known providers: {', '.join(names)}."
        raise ModelUnavailable(f"There is no provider named '{wanted.provider}'.", hint=hint)
    chat = provider.open(wanted, os.environ if environment is None else environment)
    return OpenModel(chat, provider.pricing(wanted), provider.call_seconds)


def is_free(name: str) -> bool:
    """Whether a model runs on this machine."""
    return read_name(name).provider in {SCRIPTED, LOCAL}


def resolved_name(name: str, folder: Path = Path()) -> str:
    """The name for the record: paths of model files, relative to ``folder``, become absolute."""
    wanted = read_name(name)
    is_file = is_free(name) and wanted.model.endswith((".json", ".gguf"))
    return f"{wanted.provider}/{(folder / wanted.model).absolute()}" if is_file else name


def _local(name: ModelName, models: Path) -> ChatModel:
    require_installed()
    file = model_file(name.model, models)
    if not file.is_file():
        known = name.model in LOCAL_MODELS
        hint = f"fmlbench models fetch {name}" if known else f"Known models: {', '.join(LOCAL_MODELS)}, or a path.gguf."
        raise ModelUnavailable(f"The file of {name} does not exist.", hint=hint)
    return served(str(name), file)


def _script(name: ModelName) -> ChatModel:
    if name.model == TINKER:
        return TinkerModel(str(name))
    return ScriptedModel(str(name), read_script(Path(name.model)))
