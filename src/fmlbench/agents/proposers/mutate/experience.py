"""What a mutator learns from earlier steps: tried code, and lines whose change had no effect or crashed."""

import hashlib
from collections.abc import Iterator, Mapping

from fmlbench.agents.proposers.mutate.merge import changes, sound_ancestor
from fmlbench.agents.proposers.mutate.sites import definitions, sites_in
from fmlbench.core.agents import Session
from fmlbench.core.evaluation import Outcome
from fmlbench.core.steps import History, Step

Line = tuple[str, str]
"""A line of code, identified by its file and text, because line numbers change between steps."""


class Experience:
    """Reads every step's files once; depends only on the session, so that a resumed run gets the same."""

    def __init__(self) -> None:
        self._digests: dict[str, str] = {}
        self._idle: dict[tuple[str, str], tuple[tuple[Line, str], ...]] = {}

    def tried(self, session: Session) -> frozenset[str]:
        """Digests of all code tried so far."""
        for step in session.history:
            if step.snapshot not in self._digests:
                self._digests[step.snapshot] = digest(session.code_of(step.index))
        return frozenset(self._digests[step.snapshot] for step in session.history)

    def dull(self, session: Session) -> dict[Line, set[str]]:
        """Lines whose change left the score where it was, or crashed, with the families of those changes."""
        found: dict[Line, set[str]] = {}
        for step in session.history.proposed:
            parent = session.history[_compared_with(step, session.history)]
            pair = (parent.snapshot, step.snapshot)
            if pair not in self._idle:
                self._idle[pair] = tuple(_idle_changes(parent, step, session))
            for line, family in self._idle[pair]:
                found.setdefault(line, set()).add(family)
        return found


def digest(files: Mapping[str, str]) -> str:
    """A name for a set of files that differs wherever they do."""
    found = hashlib.sha256()
    for path in sorted(files):
        text = files[path].encode()
        found.update(f"{path}\0{len(text)}\0".encode())
        found.update(text)
    return found.hexdigest()


def _compared_with(step: Step, history: History) -> int:
    """The step that it is compared with: its parent, or the parent's last working ancestor."""
    parent = step.move.parents[0]
    return parent if history[parent].score is not None else sound_ancestor(history, parent)


def _idle_changes(parent: Step, step: Step, session: Session) -> Iterator[tuple[Line, str]]:
    """The single change between a step and its parent, if it had no effect or crashed."""
    if step.evaluation.outcome is not Outcome.CRASHED and step.score != parent.score:
        return
    before, after = session.code_of(parent.index), session.code_of(step.index)
    hunks = changes(before, after)
    if len(hunks) != 1 or hunks[0].path not in before:
        return
    path = hunks[0].path
    for site in sites_in(path, before[path], definitions(before)):
        if hunks[0].is_near(site.line) and site.apply(before[path]) == after.get(path):
            yield (path, site.words(before[path])), site.family
