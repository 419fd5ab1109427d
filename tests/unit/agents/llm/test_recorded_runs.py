"""Runs that Qwen2.5-Coder 1.5B really made on data-efficiency, played again from what it said.

`recorded` holds, for each, the answers and the outcomes; a run may be cut after some step. The file
`recorded_code.json` has the editable code of the task when the runs were made.
"""

import json
from pathlib import Path

import pytest

from fmlbench.agents.registry import agent_spec, build_agent
from fmlbench.core.evaluation import Outcome
from fmlbench.core.record import Record
from fmlbench.core.steps import Operator, Step
from fmlbench.models.chat import CallKey, ChatModel, Reply
from fmlbench.testing.context import bare_context
from fmlbench.testing.models.replies import replay_of
from fmlbench.testing.sessions import RecordedSession

RECORDED = sorted(Path(__file__).with_name("recorded").glob("*.json"))
MODEL = "local/qwen2.5-coder-1.5b"


class Said(Record):
    """What the model answered at a place in the search."""

    place: CallKey
    text: str
    is_complete: bool = True


class Done(Record):
    """A step, its outcome, and the number of answers it took."""

    operator: Operator
    parents: tuple[int, ...]
    outcome: Outcome
    score: float | None
    answers: int


class Recorded(Record):
    """A run: what the model said, and the steps it took, the baseline's score apart."""

    agent: str
    settings: dict[str, str]
    baseline: float
    steps: tuple[Done, ...]
    said: tuple[Said, ...]

    @property
    def results(self) -> list[float | Outcome]:
        """What the experiments came to, in order; a change that could not be made has none."""
        ran = [step for step in self.steps if step.outcome is not Outcome.REJECTED]
        return [self.baseline, *(step.outcome if step.score is None else step.score for step in ran)]


def replayed(recorded: Recorded) -> ChatModel:
    return replay_of({said.place: Reply(text=said.text, is_complete=said.is_complete) for said in recorded.said}, MODEL)


@pytest.mark.parametrize("path", RECORDED, ids=lambda path: path.stem)
def test_what_it_said_leads_to_the_same_steps(path: Path):
    recorded = Recorded.model_validate_json(path.read_bytes())
    files: dict[str, str] = json.loads(Path(__file__).with_name("recorded_code.json").read_text())
    results = iter(recorded.results)
    session = RecordedSession(files, lambda _: next(results), steps=len(recorded.steps))
    context = bare_context(model=replayed(recorded))
    build_agent(agent_spec(recorded.agent, recorded.settings, MODEL), context).run(session)
    assert [done(step) for step in session.history.proposed] == list(recorded.steps)


def done(step: Step) -> Done:
    return Done(
        operator=step.move.operator,
        parents=step.move.parents,
        outcome=step.evaluation.outcome,
        score=step.score,
        answers=step.usage.calls,
    )
