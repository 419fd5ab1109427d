"""Objects that other packages add through entry points."""

from importlib.metadata import EntryPoint, entry_points
from typing import TypeVar

from fmlbench.core.errors import PluginBroken

Plugin = TypeVar("Plugin")


def plugins(group: str, kind: type[Plugin]) -> list[Plugin]:
    """The objects of an entry point group, which must all be of one type."""
    return [_load(point, kind) for point in entry_points(group=group)]


def _load(point: EntryPoint, kind: type[Plugin]) -> Plugin:
    what = f"The plugin '{point.name}' in '{point.group}'"
    hint = f"Fix or remove the package that provides '{point.value}'."
    try:
        found = point.load()
    except Exception as error:
        raise PluginBroken(f"{what} cannot be loaded: {error}.", hint=hint) from error
    if not isinstance(found, kind):
        raise PluginBroken(f"{what} is not of the type {kind.__name__}.", hint=hint)
    return found
