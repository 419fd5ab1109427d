"""The history that an agent sees is rebuilt from the logs."""

from fmlbench.core.notes import IdeaDone, IdeaLogged
from fmlbench.records.events import NoteMade
from tests.handwritten_runs import baseline, spec_of, started, state_of, step, toy


def test_the_history_has_the_budget_of_its_run():
    spec = spec_of()
    assert state_of(started(spec), baseline()).history(toy().metric).budget == spec.budget.steps


def test_the_history_has_the_notes_in_order():
    notes = [IdeaLogged(step=0, number=1, text="first"), IdeaDone(step=1, text="second")]
    state = state_of(baseline(), NoteMade(note=notes[0]), step(1, 0.6), NoteMade(note=notes[1]))
    assert list(state.history(toy().metric).notes) == notes
