"""Candidate changes of a set of files, in weighted random order."""

import math
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from itertools import groupby, islice
from random import Random

from fmlbench.agents.proposers.mutate.families import FAMILIES
from fmlbench.agents.proposers.mutate.sites import Site, sites_in

_SHARE_OF_SUGGESTED = 0.9
"""How often a suggested file is changed rather than another editable one."""

_DEFINITION = re.compile(r"^\s*(?:def|class)\s+(\w+)", re.MULTILINE)
_NOT_RESEARCH = re.compile(r"(^|/)(tests?|docs?|examples?)/|(^|/)(test_\w+|\w+_test|conftest|setup)\.py$")
_FAMILY_WEIGHTS = {family.name: family.weight for family in FAMILIES}


@dataclass(frozen=True)
class Candidate:
    """Files that could be tried next, and why."""

    files: Mapping[str, str]
    idea: str


def mutations(
    files: Mapping[str, str],
    suggested: Sequence[str],
    rng: Random,
    *,
    edits: int = 1,
    where: Callable[[Site], bool] | None = None,
) -> Iterator[Candidate]:
    """Every way to change the files in one place, likely ones first; with more edits, one way from each of them."""
    for site in _sites(files, suggested, rng):
        if where is not None and not where(site):
            continue
        text = site.apply(files[site.path])
        if not compiles(text):
            continue
        changed = Candidate({**files, site.path: text}, site.idea)
        if edits == 1:
            yield changed
        else:
            yield from islice(_mutated_again(changed, suggested, rng, edits - 1), 1)


def _mutated_again(first: Candidate, suggested: Sequence[str], rng: Random, edits: int) -> Iterator[Candidate]:
    for then in mutations(first.files, suggested, rng, edits=edits):
        yield Candidate(then.files, f"{first.idea}; {then.idea}")


def compiles(text: str) -> bool:
    """Whether a text is a Python program, as far as can be said without running it."""
    with warnings.catch_warnings():
        # A doubtful escape in somebody's docstring is no reason to turn a change down.
        warnings.simplefilter("ignore")
        try:
            compile(text, "candidate", "exec", dont_inherit=True)
        except (SyntaxError, ValueError):
            return False
    return True


def _sites(files: Mapping[str, str], suggested: Sequence[str], rng: Random) -> Iterator[Site]:
    """All sites: a file is drawn first, then a family in it, so that neither size nor habit decides alone."""
    code = {path: text for path, text in files.items() if path.endswith(".py") and not _NOT_RESEARCH.search(path)}
    defined = frozenset(name for text in code.values() for name in _DEFINITION.findall(text))
    for path in _in_random_order(_file_weights(code, suggested), rng):
        families = _by_family(sites_in(path, code[path], defined))
        for family in _in_random_order({name: _FAMILY_WEIGHTS[name] for name in families}, rng):
            yield from sorted(families[family], key=lambda site: rng.expovariate(site.weight))


def _by_family(sites: Iterable[Site]) -> dict[str, list[Site]]:
    ordered = sorted(sites, key=lambda site: site.family)
    return {family: list(group) for family, group in groupby(ordered, key=lambda site: site.family)}


def _file_weights(code: Mapping[str, str], suggested: Sequence[str]) -> dict[str, float]:
    """Long files hold more to change, but not in proportion; suggested ones together get their share."""
    sizes = {path: math.sqrt(len(text)) for path, text in code.items() if text}
    first = {path for path in sizes if any(fnmatch(path, pattern) for pattern in suggested)}
    totals = {True: 0.0, False: 0.0}
    for path, size in sizes.items():
        totals[path in first] += size
    shares = {True: _SHARE_OF_SUGGESTED, False: 1 - _SHARE_OF_SUGGESTED}
    return {path: shares[path in first] * size / totals[path in first] for path, size in sizes.items()}


def _in_random_order(weights: Mapping[str, float], rng: Random) -> list[str]:
    """Keys in the order in which draws without replacement would bring them up.

    Of exponential clocks with these rates, the first to ring is each with its weight's probability.
    """
    return sorted(sorted(weights), key=lambda key: rng.expovariate(weights[key]))
