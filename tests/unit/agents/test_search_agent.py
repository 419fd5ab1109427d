from collections.abc import Mapping
from dataclasses import dataclass, field
from random import Random

import pytest

from fmlbench.agents.proposers.fixed import Unchanged
from fmlbench.agents.registry import AGENTS, agent_spec, build_agent
from fmlbench.agents.search_agent import SearchAgent, seeded_rng
from fmlbench.agents.strategies.repeat import Repeat
from fmlbench.core.agents import Agent, Session
from fmlbench.core.steps import Move, Operator, Proposal
from fmlbench.core.usage import Usage
from fmlbench.testing.context import bare_context
from fmlbench.testing.sessions import RecordedSession, comparable_steps

FILES = {"research.py": "rate = 0.5\nwidth = 8\nscale = 2.0\n"}


def score(files: Mapping[str, str]) -> float:
    values: dict[str, float] = {}
    exec(files["research.py"], values)
    return values["rate"] / (values["width"] * values["scale"])


@dataclass(frozen=True)
class Dicing:
    """Records its random choices."""

    thrown: list[float] = field(default_factory=list[float])

    def propose(self, move: Move, session: Session, rng: Random) -> Proposal:
        self.thrown.append(rng.random())
        return Proposal(move=move, files=session.code_of(0), idea="throw", usage=Usage(seconds=5.0))


def test_is_an_agent():
    assert isinstance(SearchAgent(Repeat(), Unchanged()), Agent)


def test_spends_the_whole_budget():
    session = RecordedSession(FILES, score, steps=7)
    SearchAgent(Repeat(), Unchanged()).run(session)
    assert len(session.history.proposed) == 7
    assert not session.is_open


def test_stops_when_the_strategy_is_done():
    session = RecordedSession(FILES, score, steps=7)
    SearchAgent(Repeat(times=2), Unchanged()).run(session)
    assert len(session.history.proposed) == 2


def test_first_submits_what_an_interruption_left_waiting():
    waiting = Proposal(Move(operator=Operator.DRAFT), {"research.py": "rate = 9.0\nwidth = 1\nscale = 1.0\n"}, "waited")
    session = RecordedSession(FILES, score, steps=2, pending=waiting)
    SearchAgent(Repeat(), Unchanged()).run(session)
    assert [step.idea for step in session.history.proposed] == ["waited", "leave the code as it is"]
    assert session.history[1].score == 9.0


def test_does_nothing_without_a_budget():
    session = RecordedSession(FILES, score, steps=0)
    SearchAgent(Repeat(), Unchanged()).run(session)
    assert len(session.history) == 1


def test_random_choices_are_the_same_after_an_interruption():
    whole, resumed = Dicing(), Dicing()
    session = RecordedSession(FILES, score, steps=6, seed=3)
    SearchAgent(Repeat(), whole).run(session)
    SearchAgent(Repeat(), resumed).run(session.interrupted_after(4))
    assert len(set(whole.thrown)) == 6
    assert resumed.thrown == whole.thrown[4:]


def test_random_choices_differ_for_another_seed():
    one, other = Dicing(), Dicing()
    SearchAgent(Repeat(), one).run(RecordedSession(FILES, score, steps=1, seed=1))
    SearchAgent(Repeat(), other).run(RecordedSession(FILES, score, steps=1, seed=2))
    assert one.thrown != other.thrown


def test_random_choices_are_the_same_in_every_process():
    # Worked out with sha256("7/move/3"); a change here would make old runs impossible to resume.
    assert seeded_rng(7, "move", 3).getrandbits(32) == 2687553083


def test_measures_proposing_where_the_proposer_did_not():
    session = RecordedSession(FILES, score, steps=1)
    SearchAgent(Repeat(), Unchanged(), clock=iter([10.0, 12.5]).__next__).run(session)
    assert session.history[1].usage.seconds == 2.5


def test_believes_a_proposer_that_measured_itself():
    session = RecordedSession(FILES, score, steps=1)
    SearchAgent(Repeat(), Dicing()).run(session)
    assert session.history[1].usage.seconds == 5.0


@pytest.mark.parametrize("name", sorted(name for name, entry in AGENTS.items() if entry.proposer == "mutate"))
def test_a_search_with_mutations_resumes_as_if_never_interrupted(name: str):
    whole = RecordedSession(FILES, score, steps=20, seed=5)
    build_agent(agent_spec(name, {}), bare_context()).run(whole)
    assert len(whole.history.proposed) == 20
    for done in (0, 3, 13):
        resumed = whole.interrupted_after(done)
        build_agent(agent_spec(name, {}), bare_context()).run(resumed)
        assert comparable_steps(resumed.history) == comparable_steps(whole.history)
