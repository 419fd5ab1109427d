from collections.abc import Generator

import pytest

from fmlbench.agents.catalogue import agent_spec
from fmlbench.core.agents import SessionClosed
from fmlbench.core.run import Budget, Rung, RunSpec
from fmlbench.core.steps import Move, Operator, Proposal
from fmlbench.engine.briefing import write_brief
from fmlbench.engine.journal import Journal
from fmlbench.engine.session import RunSession
from fmlbench.execution.prepared import PreparedTask
from fmlbench.records.events import ProposalMade, StepFinished
from fmlbench.records.folder import open_run
from fmlbench.records.log import read_events
from fmlbench.workspace.places import Places
from fmlbench.workspace.snapshots import Snapshots
from fmlbench.workspace.trees import editable_files

pytestmark = pytest.mark.sandbox

DRAFT = Move(operator=Operator.DRAFT)


@pytest.fixture
def session(toy: PreparedTask, places: Places) -> Generator[RunSession]:
    spec = RunSpec(
        task="toy",
        task_digest=toy.folder.digest,
        track="cpu",
        agent=agent_spec("noop", {}),
        seed=3,
        budget=Budget(steps=1),
        rung=Rung.BUBBLEWRAP,
    )
    folder = open_run(spec, places.runs)
    with Journal(folder, lambda _: None) as journal:
        yield RunSession(
            spec=spec,
            prepared=toy,
            folder=folder,
            journal=journal,
            snapshots=Snapshots(folder.code),
            write_brief=lambda baseline: write_brief(toy, baseline),
        )


def test_a_proposal_that_waits_is_the_one_that_is_run_and_the_budget_ends_with_it(
    session: RunSession, toy: PreparedTask
):
    session.run_baseline()
    untouched = editable_files(toy.codebase, toy.task.editable)
    better = {**untouched, **toy.folder.files_of(toy.task.reference)}
    snapshot = session.snapshots.store(better, [session.history[0].snapshot], "better", "refs/heads/steps/1")
    session.journal.append(ProposalMade(index=1, move=DRAFT, idea="logged before a kill", snapshot=snapshot))
    step = session.submit(Proposal(move=DRAFT, files=untouched, idea="something else"))
    assert (step.idea, step.snapshot) == ("logged before a kill", snapshot)
    assert step.score is not None
    assert step.score > 0.8
    with pytest.raises(SessionClosed):
        session.submit(Proposal(move=DRAFT, files=untouched, idea="one too many"))
    kinds = [type(event) for event in read_events(session.folder.events)]
    assert (kinds.count(ProposalMade), kinds.count(StepFinished)) == (2, 2)
