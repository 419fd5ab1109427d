"""The mutating proposer: answers every move with a change that was not tried before."""

from collections.abc import Iterator, Mapping
from itertools import islice
from random import Random

from fmlbench.agents.proposers.mutate.experience import Experience, digest
from fmlbench.agents.proposers.mutate.merge import Hunk, changes, common_ancestor, merged, patched, sound_ancestor
from fmlbench.agents.proposers.mutate.mutations import MutatedFiles, MutationFocus, compiles, mutations
from fmlbench.core.agents import Session
from fmlbench.core.steps import Move, Operator, Proposal

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
