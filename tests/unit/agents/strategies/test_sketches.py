import math
from random import Random

import pytest

from fmlbench.agents.search_agent import SearchAgent
from fmlbench.agents.strategies.random_search import RandomSearch
from fmlbench.agents.strategies.sketches import Sketching, sketches_in
from fmlbench.core.agents import Session
from fmlbench.core.notes import SketchRecorded
from fmlbench.core.steps import Move, Operator, Proposal
from fmlbench.testing.sessions import RecordedSession

DRAFT = Move(operator=Operator.DRAFT)


def session(*texts: str) -> RecordedSession:
    """A session whose baseline is the first text, and whose steps are the others."""
    recorded = RecordedSession({"a.py": texts[0]}, lambda _: 0.5, steps=20)
    for text in texts[1:]:
        recorded.submit(Proposal(DRAFT, {"a.py": text}, "by hand"))
    return recorded


def sketches(*texts: str):
    recorded = session(*texts)
    Sketching().observe(recorded)
    return sketches_in(recorded.history)


def test_the_baseline_is_where_it_is():
    (baseline,) = sketches("x = 1").values()
    assert (baseline.size, baseline.diversity, set(baseline.shift)) == (5, 0.0, {0})


def test_one_word_for_another_is_two_steps_away():
    """One bucket loses a word and another gains one: the square root of two, unless they share a bucket."""
    shift = sketches("x = alpha", "x = beta")[1].shift
    assert math.hypot(*shift) == pytest.approx(math.sqrt(2))


def test_layout_does_not_matter_but_numbers_do():
    same, other = list(sketches("x = 0.1", "x  =\n 0.1", "x = 0.2").values())[1:]
    assert not any(same.shift)
    assert any(other.shift)


def test_diversity_is_the_distance_from_earlier_code():
    found = sketches("x = alpha", "x = beta", "x = beta")
    assert found[1].diversity == round(math.sqrt(2), 3)
    assert found[2].diversity == round((math.sqrt(2) + 0) / 2, 3)


def test_what_is_on_record_is_not_noted_again():
    recorded = session("x = 1", "x = 2")
    Sketching().observe(recorded)
    Sketching().observe(recorded)
    assert [note.step for note in recorded.history.notes if isinstance(note, SketchRecorded)] == [0, 1]


class Growing:
    """A proposer that adds a line."""

    def propose(self, move: Move, session: Session, rng: Random) -> Proposal:
        text = session.code_of(move.parents[0])["a.py"]
        return Proposal(move, {"a.py": f"{text}\nx{rng.randrange(9)} = {rng.random()}"}, "a line")


def test_an_interruption_changes_no_note():
    whole = RecordedSession({"a.py": "x = 1"}, lambda _: 0.5, steps=15)
    SearchAgent(RandomSearch(), Growing(), Sketching()).run(whole)
    for done in (0, 4, 13):
        resumed = whole.interrupted_after(done)
        SearchAgent(RandomSearch(), Growing(), Sketching()).run(resumed)
        assert resumed.history.notes == whole.history.notes


def test_notes_that_a_kill_left_out_are_made_up_for():
    whole = RecordedSession({"a.py": "x = 1"}, lambda _: 0.5, steps=6)
    SearchAgent(RandomSearch(), Growing(), Sketching()).run(whole)
    bare = session("x = 1", *(whole.code_of(step)["a.py"] for step in range(1, 7)))
    Sketching().observe(bare)
    assert bare.history.notes[:6] == whole.history.notes
