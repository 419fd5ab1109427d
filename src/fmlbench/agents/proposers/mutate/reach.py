"""Which files the suggested ones build on: changing code that nothing imports changes no score."""

import ast
from collections.abc import Collection, Iterator, Mapping
from functools import lru_cache

Imported = tuple[str, str]
"""A module, and the name taken from it; an empty name for the module itself."""


def reached(code: Mapping[str, str], entries: Collection[str]) -> frozenset[str]:
    """The entries, and every file that an import leads to from them."""
    modules = {_module(path): path for path in code}
    found: set[str] = set()
    waiting = [path for path in sorted(entries) if path in code]
    while waiting:
        path = waiting.pop()
        if path in found:
            continue
        found.add(path)
        for imported in _imports(path, code[path]):
            waiting.extend(_targets(imported, modules, code))
    return frozenset(found)


def _targets(imported: Imported, modules: Mapping[str, str], code: Mapping[str, str]) -> Iterator[str]:
    """The files behind an import; what a package passes on is looked for in the files that define it."""
    module, name = imported
    whole = modules.get(f"{module}.{name}") or modules.get(module)
    if whole is not None and not whole.endswith("__init__.py"):
        yield whole
        return
    for other, path in modules.items():
        if other.startswith(f"{module}.") and name and name in _definitions(code[path]):
            yield path


def _module(path: str) -> str:
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


@lru_cache(maxsize=1024)
def _imports(path: str, text: str) -> tuple[Imported, ...]:
    found: list[Imported] = []
    for node in ast.walk(_parsed(text)):
        if isinstance(node, ast.Import):
            found.extend((alias.name, "") for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            module = _absolute(node, path)
            found.extend((module, alias.name) for alias in node.names)
    return tuple(found)


def _absolute(node: ast.ImportFrom, path: str) -> str:
    """The full name of the module that is imported from; ``from . import x`` starts at the file's own folder."""
    folders = path.split("/")[:-1]
    start = folders[: len(folders) - node.level + 1] if node.level else []
    return ".".join([*start, *filter(None, [node.module])])


@lru_cache(maxsize=1024)
def _definitions(text: str) -> frozenset[str]:
    kinds = (ast.FunctionDef, ast.ClassDef, ast.AsyncFunctionDef)
    return frozenset(node.name for node in _parsed(text).body if isinstance(node, kinds))


def _parsed(text: str) -> ast.Module:
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return ast.Module(body=[], type_ignores=[])
