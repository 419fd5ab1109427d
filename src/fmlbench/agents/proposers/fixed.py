"""Proposers that need no search: the unchanged code, the expert reference, a script."""

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random

from fmlbench.agents.script import Script, ScriptedEdit, ScriptedStep
from fmlbench.core.agents import Session
from fmlbench.core.steps import Move, Proposal


@dataclass(frozen=True)
class Unchanged:
    """Hands in the parent's code as it is."""

    def propose(self, move: Move, session: Session, rng: Random) -> Proposal:
        """Return the parent's files."""
        return Proposal(move=move, files=session.code_of(move.parents[0]), idea="leave the code as it is")


@dataclass(frozen=True)
class Reference:
    """Lays the task's expert reference over the baseline."""

    files: Mapping[str, str]
    idea: str

    def propose(self, move: Move, session: Session, rng: Random) -> Proposal:
        """Return the baseline's files with the reference's in place of their namesakes."""
        return Proposal(move=move, files={**session.code_of(0), **self.files}, idea=self.idea)


@dataclass(frozen=True)
class ScriptedProposer:
    """Makes the scripted proposal for the step that comes next, on top of the move's first parent."""

    script: Script

    def propose(self, move: Move, session: Session, rng: Random) -> Proposal:
        """Return the parent's files after the scripted edits, or the rejection the script asks for."""
        step = self._step(len(session.history.proposed))
        parent = session.code_of(move.parents[0])
        files = {**parent, **step.files}
        rejection = step.rejection
        for edit in step.edits:
            rejection = rejection or _apply(edit, files)
        return Proposal(move=move, files=parent if rejection else files, idea=step.idea, rejection=rejection)

    def _step(self, index: int) -> ScriptedStep:
        if index < len(self.script):
            return self.script[index]
        return ScriptedStep(idea="nothing more to say", rejection="the script has ended")


def _apply(edit: ScriptedEdit, files: dict[str, str]) -> str:
    """Change ``files`` in place; return why that was not possible, or nothing."""
    found = files.get(edit.file, "").count(edit.search)
    if found != 1:
        return f"'{edit.search}' occurs {found} times in {edit.file}, not once"
    files[edit.file] = files[edit.file].replace(edit.search, edit.replace)
    return ""
