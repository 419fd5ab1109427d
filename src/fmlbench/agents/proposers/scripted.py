"""Proposes what a script says: a test double that needs no model and no luck."""

from dataclasses import dataclass
from random import Random

from fmlbench.agents.script import Script, ScriptedEdit, ScriptedStep
from fmlbench.core.agents import Session
from fmlbench.core.steps import Move, Proposal


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
