"""What can be set of an agent: read off the parameters of its parts, checked before a run is made.

@dataclass(frozen=True)
class Aide:
    drafts: int = parameter(5, "how many drafts come first", low=1)
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, dataclass, field, fields, is_dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from fmlbench.core.errors import BadRequest

Value = int | float | str
Default = TypeVar("Default", int, float, str)
Part = TypeVar("Part")

_SETTING = "fmlbench.setting"


@dataclass(frozen=True)
class Setting:
    """Something a user may set; its value has the type of its default."""

    default: Value
    meaning: str
    required: bool = False
    low: float | None = None
    high: float | None = None
    is_path: bool = False
    """Whether it names a file: then the record holds a path that is good wherever the run is gone on with."""

    @property
    def range(self) -> str:
        """Which numbers will do, in words; nothing where all do."""
        if self.low is not None and self.high is not None:
            return f"{self.low:g} to {self.high:g}"
        if self.low is not None:
            return f"{self.low:g} or more"
        return "" if self.high is None else f"{self.high:g} or less"

    def read(self, word: str) -> Value:
        """The value that a word stands for; raises ValueError, which says what would do."""
        if self.is_path:
            return str(Path(word).expanduser().absolute())
        value = type(self.default)(word)
        if isinstance(value, str) or _lies_between(value, self.low, self.high):
            return value
        raise ValueError(word)


def parameter(default: Default, meaning: str, *, low: float | None = None, high: float | None = None) -> Default:
    """A field of a strategy or proposer that users may set by its name."""
    setting = Setting(default, meaning, low=low, high=high)
    made: Any = field(default=default, metadata={_SETTING: setting})
    return made


def require_strategy(strategy: object) -> None:
    """Look whether a strategy's class is one whose settings can be read and which decides."""
    if not isinstance(strategy, type):
        raise BadRequest(f"{strategy!r} is no class.", hint="Name the strategy's class; it is made when it is needed.")
    name = strategy.__name__
    if not is_dataclass(strategy):
        raise BadRequest(f"Strategy {name} is no dataclass.", hint="Write @dataclass(frozen=True) above its class.")
    if not callable(getattr(strategy, "next_move", None)):
        raise BadRequest(f"Strategy {name} has no method next_move.", hint="Write next_move(self, history, rng).")
    for each in fields(strategy):
        if each.init and each.default is MISSING and each.default_factory is MISSING:
            hint = f'Give it one: {each.name}: int = parameter(5, "what it means").'
            raise BadRequest(f"Field '{each.name}' of strategy {name} has no default.", hint=hint)


def settings_of(part: type) -> dict[str, Setting]:
    """The settings of a strategy or proposer, by name."""
    return {each.name: each.metadata[_SETTING] for each in fields(part) if _SETTING in each.metadata}


def with_defaults(agent: str, settings: Mapping[str, Setting], defaults: Mapping[str, Value]) -> dict[str, Setting]:
    """The settings of an agent, some with other defaults: such as users could set, too."""
    _require_known(agent, settings, defaults)
    given = {key: str(value) for key, value in defaults.items()}
    changed = {key: replace(settings[key], default=_value(agent, key, settings[key], given)) for key in given}
    return {**settings, **changed}


def made_with(part: type[Part], values: Mapping[str, Value]) -> Part:
    """A strategy or proposer with those of the values that are its own."""
    return part(**{name: values[name] for name in settings_of(part)})


def read_settings(agent: str, settings: Mapping[str, Setting], given: Mapping[str, str]) -> dict[str, Value]:
    """All settings of an agent, whether given or left at their defaults."""
    _require_known(agent, settings, given)
    return {key: _value(agent, key, setting, given) for key, setting in settings.items()}


def _require_known(agent: str, settings: Mapping[str, Setting], given: Iterable[str]) -> None:
    for key in given:
        if key not in settings:
            known = ", ".join(sorted(settings)) or "none"
            raise BadRequest(f"Agent '{agent}' has no setting named '{key}'.", hint=f"Its settings: {known}.")


def _value(agent: str, key: str, setting: Setting, given: Mapping[str, str]) -> Value:
    if key not in given:
        if setting.required:
            raise BadRequest(f"Agent '{agent}' needs the setting '{key}'.", hint=f"{key}: {setting.meaning}.")
        return setting.default
    try:
        return setting.read(given[key])
    except ValueError as error:
        kind = "a whole number" if isinstance(setting.default, int) else "a number"
        limits = f", {setting.range}" if setting.range else ""
        raise BadRequest(
            f"Setting '{key}' of agent '{agent}' cannot be '{given[key]}'.",
            hint=f"It is {kind} like {setting.default}{limits}: {setting.meaning}.",
        ) from error


def _lies_between(value: float, low: float | None, high: float | None) -> bool:
    return math.isfinite(value) and (low is None or value >= low) and (high is None or value <= high)
