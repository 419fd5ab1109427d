"""The mutating proposer: answers every move with a change that was not tried before.

It learns from earlier steps which code was tried, and which lines were changed without effect or crashed.
"""

import hashlib
from collections.abc import Iterator, Mapping
from itertools import islice
from random import Random

from fmlbench.agents.proposers.mutate.merge import Hunk, changes, common_ancestor, merged, patched, sound_ancestor
from fmlbench.agents.proposers.mutate.mutations import Line, MutatedFiles, MutationFocus, compiles, mutations
from fmlbench.agents.proposers.mutate.sites import definitions, sites_in
from fmlbench.core.agents import Session
from fmlbench.core.evaluation import Outcome
from fmlbench.core.steps import History, Move, Operator, Proposal, Step

_CHANCE_OF_A_SECOND_EDIT = 0.25
_MOST_CANDIDATES = 5000
"""Where this many are all known, there is nothing new to be found."""


class Mutate:
    """Changes code by edits of its syntax tree; all it knows of machine learning is in its families."""

    def __init__(self) -> None:
        self._experience = Experience()

    def propose(self, move: Move, session: Session, rng: Random) -> Proposal:
        """Return the first candidate that no step has tried; a rejection where all have been."""
        tried = self._experience.tried(session)
        focus = MutationFocus(session.brief.suggested, self._experience.dull(session))
        for candidate in islice(_candidates(move, session, focus, rng), _MOST_CANDIDATES):
            if digest(candidate.files) not in tried:
                return Proposal(move=move, files=candidate.files, idea=candidate.idea)
        return Proposal(
            move=move,
            files=session.code_of(move.parents[0]),
            idea="no change is left to try",
            rejection="The editable Python files hold nothing that could be changed in a new way.",
        )


def _candidates(move: Move, session: Session, focus: MutationFocus, rng: Random) -> Iterator[MutatedFiles]:
    first, *others = move.parents
    if move.operator is Operator.DEBUG:
        return _debugged(first, session, focus, rng)
    if move.operator is Operator.COMBINE and others:
        return _combined(first, others[0], session, focus, rng)
    if move.operator is Operator.DRAFT:
        return _changed(session.code_of(first), focus, rng, edits=rng.choice((2, 3)))
    edits = 2 if rng.random() < _CHANCE_OF_A_SECOND_EDIT else 1
    return _changed(session.code_of(first), focus, rng, edits=edits)


def _changed(files: Mapping[str, str], focus: MutationFocus, rng: Random, *, edits: int) -> Iterator[MutatedFiles]:
    """The files after some edits, or one more where all of those were tried."""
    yield from mutations(files, focus, rng, edits=edits)
    yield from mutations(files, focus, rng, edits=edits + 1)


def _debugged(step: int, session: Session, focus: MutationFocus, rng: Random) -> Iterator[MutatedFiles]:
    """A failed step with less of its change, or another change in its place.

    A mutator cannot read a traceback: it goes back to the code that worked.
    """
    before = session.code_of(sound_ancestor(session.history, step))
    hunks = changes(before, session.code_of(step))
    if len(hunks) > 1:
        yield from _partly_undone(step, before, hunks, rng)
    for other in _changed(before, focus, rng, edits=1):
        yield MutatedFiles(other.files, f"instead of step {step}: {other.idea}")


def _partly_undone(step: int, before: Mapping[str, str], hunks: list[Hunk], rng: Random) -> Iterator[MutatedFiles]:
    for undone in rng.sample(hunks, len(hunks)):
        files = patched(before, [hunk for hunk in hunks if hunk is not undone])
        if _all_compile(files, hunks):
            yield MutatedFiles(files, f"step {step} without its change of {undone.path}:{undone.start + 1}")


def _combined(one: int, other: int, session: Session, focus: MutationFocus, rng: Random) -> Iterator[MutatedFiles]:
    """What both steps changed, then that with another change; where nothing can be joined, a change of the first."""
    base = session.code_of(common_ancestor(session.history, one, other))
    ours, theirs = session.code_of(one), session.code_of(other)
    files = merged(base, ours, theirs)
    if files not in (ours, theirs) and _all_compile(files, changes(base, files)):
        idea = f"the changes of step {one} and step {other} together"
        yield MutatedFiles(files, idea)
        for more in mutations(files, focus, rng):
            yield MutatedFiles(more.files, f"{idea}; {more.idea}")
    yield from _changed(ours, focus, rng, edits=1)


def _all_compile(files: Mapping[str, str], hunks: list[Hunk]) -> bool:
    return all(compiles(files[path]) for path in {hunk.path for hunk in hunks} if path.endswith(".py"))


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
