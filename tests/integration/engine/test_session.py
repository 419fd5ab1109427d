from random import Random

import pytest

from fmlbench.core.agents import SessionClosed
from fmlbench.core.evaluation import Outcome
from fmlbench.core.steps import Move, Operator, Proposal
from fmlbench.experiment.prepared_task import PreparedTask
from fmlbench.records.events import ProposalMade, StepFinished
from fmlbench.records.log import read_events
from fmlbench.workspace.dirs import Dirs
from fmlbench.workspace.information import added_information
from fmlbench.workspace.trees import editable_files
from tests.integration.engine.sessions import open_session

pytestmark = pytest.mark.sandbox

DRAFT = Move(operator=Operator.DRAFT)


def test_a_pending_proposal_is_run_first_and_counts_as_a_step(toy: PreparedTask, dirs: Dirs):
    untouched = editable_files(toy.codebase, toy.task.editable)
    better = {**untouched, **toy.folder.files_of(toy.task.reference, untouched)}
    with open_session(toy, dirs) as session:
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


def test_the_added_information_is_recorded(toy: PreparedTask, dirs: Dirs):
    untouched = editable_files(toy.codebase, toy.task.editable)
    better = {**untouched, **toy.folder.files_of(toy.task.reference, untouched)}
    with open_session(toy, dirs) as session:
        session.run_baseline()
        step = session.submit(Proposal(move=DRAFT, files=better, idea="the reference"))
    expected = added_information(better, untouched).bytes
    assert 0 < expected < 200
    made = [event for event in read_events(session.folder.events) if isinstance(event, ProposalMade)]
    assert [event.information_bytes for event in made] == [0, expected]
    assert step.information_bytes == expected


def test_too_much_information_is_rejected_with_the_figure(toy: PreparedTask, dirs: Dirs):
    untouched = editable_files(toy.codebase, toy.task.editable)
    names = "".join(f"n{Random(number).randbytes(20).hex()} = 0\n" for number in range(300))
    with open_session(toy, dirs) as session:
        session.run_baseline()
        step = session.submit(Proposal(move=DRAFT, files={**untouched, "tinylearn/table.py": names}, idea="a table"))
    assert step.evaluation.outcome is Outcome.REJECTED
    assert step.information_bytes is not None
    assert step.information_bytes > 6000
    assert f"adds {step.information_bytes:,} bytes of information; at most 4,096" in step.evaluation.reason
    assert session.code_of(1) == untouched


def test_code_cannot_read_its_comments(toy: PreparedTask, dirs: Dirs):
    untouched = editable_files(toy.codebase, toy.task.editable)
    path = "tinylearn/training.py"
    curious = (
        f'"""A secret docstring."""\n{untouched[path]}\n# A secret comment.\n'
        'with open(__file__) as _file:\n    if "sec" + "ret" in _file.read():\n        raise RuntimeError("It can.")\n'
        'if __doc__:\n    raise RuntimeError("It can.")\n'
    )
    with open_session(toy, dirs) as session:
        session.run_baseline()
        step = session.submit(Proposal(move=DRAFT, files={**untouched, path: curious}, idea="read myself"))
    assert step.evaluation.is_ok, step.evaluation.log_tail
    assert "A secret comment." in session.code_of(1)[path]
