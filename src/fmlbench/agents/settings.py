"""Settings of agents: declared as parameters of strategies and proposers, validated before a run is created.

@dataclass(frozen=True)
class Aide:
    drafts: int = parameter(5, "number of initial drafts", low=1)
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
    """A setting; its value has the type of its default."""

    default: Value
    meaning: str
    required: bool = False
    low: float | None = None
    high: float | None = None
    is_path: bool = False
    """Whether it is a path; the record contains the absolute path, so that the run can be resumed from any folder."""

    @property
    def range(self) -> str:
        """The allowed range as text; empty if all numbers are allowed."""
        if self.low is not None and self.high is not None:
            return f"{self.low:g} to {self.high:g}"
        if self.low is not None:
            return f"{self.low:g} or more"
        return "" if self.high is None else f"{self.high:g} or less"

    def read(self, word: str) -> Value:
        """Parse a value; raises ValueError."""
        if self.is_path:
            return str(Path(word).expanduser().absolute())
        value = type(self.default)(word)
        if isinstance(value, str) or _lies_between(value, self.low, self.high):
            return value
        raise ValueError(word)


def parameter(default: Default, meaning: str, *, low: float | None = None, high: float | None = None) -> Default:
    """A field of a strategy or proposer that users can set by its name."""
    setting = Setting(default, meaning, low=low, high=high)
    declared: Any = field(default=default, metadata={_SETTING: setting})
    return declared


def require_strategy(strategy: object) -> None:
    """Check that a strategy is a dataclass with defaults and has the method next_move."""
    if not isinstance(strategy, type):
        raise BadRequest(f"{strategy!r} is not a class.", hint="Give the strategy's class, not an instance.")
    name = strategy.__name__
    if not is_dataclass(strategy):
        raise BadRequest(f"Strategy {name} is not a dataclass.", hint="Write @dataclass(frozen=True) above its class.")
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
    """The settings with some defaults replaced; the new defaults are validated like user input."""
    _require_known(agent, settings, defaults)
    given = {key: str(value) for key, value in defaults.items()}
    changed = {key: replace(settings[key], default=_value(agent, key, settings[key], given)) for key in given}
    return {**settings, **changed}


def made_with(part: type[Part], values: Mapping[str, Value]) -> Part:
    """Create a strategy or proposer with those of the values that belong to it."""
    return part(**{name: values[name] for name in settings_of(part)})


def read_settings(agent: str, settings: Mapping[str, Setting], given: Mapping[str, str]) -> dict[str, Value]:
    """The values of all settings of an agent, given or default."""
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
            f"Setting '{key}' of agent '{agent}' must be {kind}{limits}, got '{given[key]}'.",
            hint=f"{key}: {setting.meaning}; default {setting.default}.",
        ) from error


def _lies_between(value: float, low: float | None, high: float | None) -> bool:
    return math.isfinite(value) and (low is None or value >= low) and (high is None or value <= high)
