"""The mutating proposer: answers every move with a change that was not tried before."""

import hashlib
from collections.abc import Iterator, Mapping
from itertools import chain, islice
from random import Random

from fmlbench.agents.proposers.mutate.lineage import common_ancestor, sound_ancestor
from fmlbench.agents.proposers.mutate.merging import Hunk, changes, merged, patched
from fmlbench.agents.proposers.mutate.mutations import Candidate, compiles, mutations
from fmlbench.agents.proposers.mutate.sites import Site
from fmlbench.core.agents import Session
from fmlbench.core.steps import Move, Operator, Proposal

_CHANCE_OF_A_SECOND_EDIT = 0.25
_MOST_CANDIDATES = 5000
"""Where this many are all known, there is nothing new to be found."""

_NEARBY_LINES = 2


class Mutate:
    """Changes code by edits of its syntax tree; all it knows of machine learning is in its families."""

    def __init__(self) -> None:
        self._digests: dict[str, str] = {}

    def propose(self, move: Move, session: Session, rng: Random) -> Proposal:
        """Return the first candidate that no step has tried; a rejection where all have been."""
        tried = self._tried(session)
        for candidate in islice(_candidates(move, session, rng), _MOST_CANDIDATES):
            if _digest(candidate.files) not in tried:
                return Proposal(move=move, files=candidate.files, idea=candidate.idea)
        return Proposal(
            move=move,
            files=session.code_of(move.parents[0]),
            idea="no change is left to try",
            rejection="The editable Python files hold nothing that could be changed in a new way.",
        )

    def _tried(self, session: Session) -> set[str]:
        """Digests of all code tried so far; each step's files are read once."""
        for step in session.history:
            if step.snapshot not in self._digests:
                self._digests[step.snapshot] = _digest(session.code_of(step.index))
        return {self._digests[step.snapshot] for step in session.history}


def _candidates(move: Move, session: Session, rng: Random) -> Iterator[Candidate]:
    first, *others = move.parents
    if move.operator is Operator.DEBUG:
        return _mended(first, session, rng)
    if move.operator is Operator.COMBINE and others:
        return _combined(first, others[0], session, rng)
    if move.operator is Operator.DRAFT:
        return _changed(first, session, rng, edits=rng.choice((2, 3)))
    return _changed(first, session, rng, edits=2 if rng.random() < _CHANCE_OF_A_SECOND_EDIT else 1)


def _changed(step: int, session: Session, rng: Random, *, edits: int) -> Iterator[Candidate]:
    """The step's code after some edits, or more of them where all of those were tried."""
    files, suggested = session.code_of(step), session.brief.suggested
    yield from mutations(files, suggested, rng, edits=edits)
    yield from mutations(files, suggested, rng, edits=edits + 1)


def _mended(step: int, session: Session, rng: Random) -> Iterator[Candidate]:
    """A failed step with less of its change, or another change in its place.

    A mutator cannot read a traceback. It goes back to the code that worked, but stays with the idea.
    """
    before = session.code_of(sound_ancestor(session.history, step))
    hunks = changes(before, session.code_of(step))
    if len(hunks) > 1:
        yield from _partly_undone(step, before, hunks, rng)

    def is_near(site: Site) -> bool:
        return any(
            site.path == hunk.path and hunk.start - _NEARBY_LINES < site.line <= hunk.end + _NEARBY_LINES
            for hunk in hunks
        )

    suggested = session.brief.suggested
    for other in chain(mutations(before, suggested, rng, where=is_near), mutations(before, suggested, rng)):
        yield Candidate(other.files, f"instead of step {step}: {other.idea}")


def _partly_undone(step: int, before: Mapping[str, str], hunks: list[Hunk], rng: Random) -> Iterator[Candidate]:
    for undone in rng.sample(hunks, len(hunks)):
        files = patched(before, [hunk for hunk in hunks if hunk is not undone])
        if _all_compile(files, hunks):
            yield Candidate(files, f"step {step} without its change of {undone.path}:{undone.start + 1}")


def _combined(one: int, other: int, session: Session, rng: Random) -> Iterator[Candidate]:
    base = session.code_of(common_ancestor(session.history, one, other))
    ours, theirs = session.code_of(one), session.code_of(other)
    files = merged(base, ours, theirs)
    if _all_compile(files, changes(base, files)):
        idea = f"the changes of step {one} and step {other} together"
        yield Candidate(files, idea)
        for more in mutations(files, session.brief.suggested, rng):
            yield Candidate(more.files, f"{idea}; {more.idea}")
    yield from _changed(one, session, rng, edits=1)


def _all_compile(files: Mapping[str, str], hunks: list[Hunk]) -> bool:
    return all(compiles(files[path]) for path in {hunk.path for hunk in hunks} if path.endswith(".py"))


def _digest(files: Mapping[str, str]) -> str:
    digest = hashlib.sha256()
    for path in sorted(files):
        text = files[path].encode()
        digest.update(f"{path}\0{len(text)}\0".encode())
        digest.update(text)
    return digest.hexdigest()
