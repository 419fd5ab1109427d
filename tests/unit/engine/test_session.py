import pytest

from fmlbench.core.agents import SessionClosed
from fmlbench.core.steps import Move, Operator, Proposal
from fmlbench.execution.prepared import PreparedTask
from fmlbench.records.events import ProposalMade, StepFinished
from fmlbench.records.log import read_events
from fmlbench.workspace.places import Places
from fmlbench.workspace.trees import editable_files
from tests.unit.engine.sessions import open_session

pytestmark = pytest.mark.sandbox

DRAFT = Move(operator=Operator.DRAFT)


def test_a_proposal_that_waits_is_the_one_that_is_run_and_the_budget_ends_with_it(toy: PreparedTask, places: Places):
    untouched = editable_files(toy.codebase, toy.task.editable)
    better = {**untouched, **toy.folder.files_of(toy.task.reference)}
    with open_session(toy, places) as session:
        session.run_baseline()
        snapshot = session.snapshots.store(better, [session.history[0].snapshot], "better", "refs/heads/steps/1")
        session.journal.append(ProposalMade(index=1, move=DRAFT, idea="logged before a kill", snapshot=snapshot))
        step = session.submit(Proposal(move=DRAFT, files=untouched, idea="something else"))
        with pytest.raises(SessionClosed):
            session.submit(Proposal(move=DRAFT, files=untouched, idea="one too many"))
    assert (step.idea, step.snapshot) == ("logged before a kill", snapshot)
    assert step.score is not None
    assert step.score > 0.8
    kinds = [type(event) for event in read_events(session.folder.events)]
    assert (kinds.count(ProposalMade), kinds.count(StepFinished)) == (2, 2)
