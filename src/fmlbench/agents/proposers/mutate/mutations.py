"""Candidate changes of a set of files, in weighted random order."""

import ast
import math
import re
import warnings
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatch
from functools import lru_cache
from itertools import chain, islice
from random import Random
from typing import TypeVar

from fmlbench.agents.proposers.mutate.families import FAMILIES
from fmlbench.agents.proposers.mutate.sites import Site, definitions, sites_in

Key = TypeVar("Key")
Line = tuple[str, str]
"""A line of code, identified by its file and text, because line numbers change between steps."""

_SHARE_OF_SUGGESTED = 0.95
"""How often a suggested file is changed rather than another editable one."""

_OUT_OF_REACH = 0.001
"""The weight of a file that no suggested file imports, relative to one that some do."""

_NOT_RESEARCH = re.compile(r"(^|/)(tests?|docs?|examples?)/|(^|/)(test_\w+|\w+_test|conftest|setup)\.py$")
_FAMILY_WEIGHTS = {family.name: family.weight for family in FAMILIES}


_SAME_KIND, _OTHER_KIND = 0.02, 0.5
"""How likely a line is still changed after a change of the same, or of another, family led nowhere."""


@dataclass(frozen=True)
class MutationFocus:
    """Where to look first."""

    suggested: Sequence[str] = ()
    """Files, or globs of files, that the task points at."""
    dull: Mapping[Line, Collection[str]] = field(default_factory=dict[Line, Collection[str]])
    """Lines that were changed to no effect, or to ruin, with the families that tried."""

    def weight(self, site: Site, line: str) -> float:
        """How much a site is worth trying, given what is known of its line."""
        families = self.dull.get((site.path, line), ())
        return site.weight * (_SAME_KIND if site.family in families else _OTHER_KIND ** len(families))


@dataclass(frozen=True)
class MutatedFiles:
    """Files that could be tried next, and why."""

    files: Mapping[str, str]
    idea: str


def mutations(
    files: Mapping[str, str],
    focus: MutationFocus,
    rng: Random,
    *,
    edits: int = 1,
) -> Iterator[MutatedFiles]:
    """Every way to change the files in one place, likely ones first; with more edits, one way from each of them."""
    for site in _sites(files, focus, rng):
        text = site.apply(files[site.path])
        if not compiles(text):
            continue
        changed = MutatedFiles({**files, site.path: text}, site.idea)
        if edits == 1:
            yield changed
        else:
            yield from islice(_mutated_again(changed, focus, rng, edits - 1), 1)


def _mutated_again(first: MutatedFiles, focus: MutationFocus, rng: Random, edits: int) -> Iterator[MutatedFiles]:
    for then in mutations(first.files, focus, rng, edits=edits):
        yield MutatedFiles(then.files, f"{first.idea}; {then.idea}")


def compiles(text: str) -> bool:
    """Whether a text is a Python program, as far as can be said without running it."""
    with warnings.catch_warnings():
        # Warnings, such as invalid escapes in docstrings, are no reason to reject a change.
        warnings.simplefilter("ignore")
        try:
            compile(text, "candidate", "exec", dont_inherit=True)
        except (SyntaxError, ValueError):
            return False
    return True


def _sites(files: Mapping[str, str], focus: MutationFocus, rng: Random) -> Iterator[Site]:
    """All sites: a file is sampled first, then a family in it, so that large files and common families do not dominate.

    A file in which nothing is likely to help mostly has to wait until the others are through.
    """
    code = {path: text for path, text in files.items() if path.endswith(".py") and not _NOT_RESEARCH.search(path)}
    defined = definitions(code)
    postponed: list[Iterator[Site]] = []
    for path in _in_random_order(_file_weights(code, focus.suggested), rng):
        families = _by_family(sites_in(path, code[path], defined), code[path], focus)
        promises = {name: min(1.0, sum(sites.values())) for name, sites in families.items()}
        weights = {name: _FAMILY_WEIGHTS[name] * promise for name, promise in promises.items()}
        sites = _drawn(families, weights, rng)
        if rng.random() < sum(promises.values()):
            yield from sites
        else:
            postponed.append(sites)
    yield from chain.from_iterable(postponed)


def _drawn(families: Mapping[str, Mapping[Site, float]], weights: Mapping[str, float], rng: Random) -> Iterator[Site]:
    for family in _in_random_order(weights, rng):
        yield from _in_random_order(families[family], rng)


def _by_family(sites: Iterable[Site], text: str, focus: MutationFocus) -> dict[str, dict[Site, float]]:
    lines = text.split("\n")
    families: dict[str, dict[Site, float]] = {}
    for site in sites:
        families.setdefault(site.family, {})[site] = focus.weight(site, lines[site.line - 1].strip())
    return families


def _file_weights(code: Mapping[str, str], suggested: Sequence[str]) -> dict[str, float]:
    """Long files hold more to change, but not in proportion; the suggested ones, those named first most, come before.

    Where files are suggested, one that none of them builds on has next to no weight.
    """
    ranks = {path: rank for path in code if (rank := _rank(path, suggested)) is not None}
    near = reached(code, ranks) if ranks else frozenset(code)
    weights: dict[str, float] = {}
    for path in sorted(code):
        size = math.sqrt(len(code[path]))
        weights[path] = (
            size / (1 + ranks[path]) ** 1.5 if path in ranks else size * (1.0 if path in near else _OUT_OF_REACH)
        )
    totals = {
        is_first: sum(weights[path] for path in code if (path in ranks) is is_first) for is_first in (True, False)
    }
    shares = {True: _SHARE_OF_SUGGESTED, False: 1 - _SHARE_OF_SUGGESTED}
    return {path: shares[path in ranks] * weight / totals[path in ranks] for path, weight in weights.items() if weight}


def _rank(path: str, suggested: Sequence[str]) -> int | None:
    return next((rank for rank, pattern in enumerate(suggested) if fnmatch(path, pattern)), None)


def _in_random_order(weights: Mapping[Key, float], rng: Random) -> list[Key]:
    """Keys in the order of weighted sampling without replacement.

    Of exponential clocks with these rates, the first to ring is each with its weight's probability.
    """
    return sorted(weights, key=lambda key: rng.expovariate(weights[key]))


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
