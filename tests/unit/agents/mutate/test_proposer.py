from random import Random

import pytest

from fmlbench.agents.proposers.mutate.proposer import Mutate
from fmlbench.agents.search_agent import SearchAgent
from fmlbench.agents.strategies.greedy import Greedy
from fmlbench.agents.strategies.random_search import RandomSearch
from fmlbench.core.steps import Move, Operator, Proposal
from fmlbench.testing.histories import CRASH, ERROR, Result
from fmlbench.testing.proposers import SAMPLE
from fmlbench.testing.sessions import Files, RecordedSession

DRAFT = Move(operator=Operator.DRAFT)
STEPS = ("steps=100", "steps=200")
MISSING = ("nn.ReLU()", "nn.Missing()")


def on(step: int, operator: Operator = Operator.IMPROVE) -> Move:
    return Move(operator=operator, parents=(step,))


def session(*changes: tuple[str, str]) -> RecordedSession:
    """A session whose step n made the n-th change of the baseline: old words, new words."""
    recorded = RecordedSession(SAMPLE, lambda _: 0.5, steps=99)
    for change in changes:
        submit(recorded, DRAFT, changed(change))
    return recorded


def changed(*changes: tuple[str, str]) -> dict[str, str]:
    text = SAMPLE["model.py"]
    for old, new in changes:
        text = text.replace(old, new)
    return {**SAMPLE, "model.py": text}


def crash_if_missing(files: Files) -> Result:
    return CRASH if "Missing" in files["model.py"] else 0.5


def submit(recorded: RecordedSession, move: Move, files: Files) -> None:
    recorded.submit(Proposal(move, files, "by hand"))


def value_of(name: str, files: Files) -> float:
    values: dict[str, float] = {}
    exec(files["research.py"], values)
    return values[name]


class TestImproving:
    def test_changes_the_parent_not_the_baseline(self):
        recorded = session(("width", "breadth"))
        files = Mutate().propose(on(1), recorded, Random(0)).files
        assert "breadth" in files["model.py"]
        assert files != recorded.code_of(1)

    def test_makes_one_edit_mostly_and_sometimes_two(self):
        counts = [Mutate().propose(on(0), session(), Random(seed)).idea.count("; ") + 1 for seed in range(200)]
        assert set(counts) == {1, 2}
        assert 25 <= counts.count(2) <= 75

    def test_never_tries_the_same_code_twice(self):
        recorded = RecordedSession({"research.py": "rate = 0.5\n"}, lambda _: 0.5, steps=40)
        SearchAgent(RandomSearch(), Mutate()).run(recorded)
        tried = [recorded.code_of(step.index)["research.py"] for step in recorded.history]
        assert len(set(tried)) == len(tried) == 41

    def test_says_so_when_there_is_nothing_to_change(self):
        recorded = RecordedSession({"research.py": "import os\n"}, lambda _: 0.5, steps=1)
        proposal = Mutate().propose(on(0), recorded, Random(0))
        assert proposal.rejection
        assert proposal.files == {"research.py": "import os\n"}

    def test_says_so_when_all_changes_were_tried(self):
        recorded = RecordedSession({"research.py": "flag = True\n"}, lambda _: 0.5, steps=9)
        SearchAgent(Greedy(debug_tries=0), Mutate()).run(recorded)
        assert [step.idea for step in recorded.history.proposed].count("no change is left to try") == 8


class TestDrafting:
    def test_makes_two_or_three_edits_of_the_baseline(self):
        counts = {Mutate().propose(DRAFT, session(), Random(seed)).idea.count("; ") + 1 for seed in range(30)}
        assert counts == {2, 3}


class TestDebugging:
    move = on(1, Operator.DEBUG)

    def test_takes_back_one_of_two_changes_first(self):
        recorded = RecordedSession(SAMPLE, crash_if_missing, steps=9)
        submit(recorded, DRAFT, changed(MISSING, STEPS))
        proposals = [Mutate().propose(self.move, recorded, Random(seed)) for seed in range(9)]
        texts = [proposal.files["model.py"] for proposal in proposals]
        assert set(texts) == {changed(MISSING)["model.py"], changed(STEPS)["model.py"]}
        assert all(proposal.idea.startswith("step 1 without its change of model.py:") for proposal in proposals)

    def test_goes_back_and_tries_another_change(self):
        recorded = RecordedSession(SAMPLE, crash_if_missing, steps=9)
        submit(recorded, DRAFT, changed(MISSING))
        for seed in range(10):
            proposal = Mutate().propose(self.move, recorded, Random(seed))
            assert "Missing" not in proposal.files["model.py"]
            assert proposal.idea.startswith("instead of step 1: ")

    def test_seldom_breaks_the_same_line_in_the_same_way_again(self):
        files = {"research.py": "alpha = 0.5\nbeta = 0.5\n"}
        recorded = RecordedSession(
            files, lambda tried: 0.5 if "alpha = 0.5" in tried["research.py"] else CRASH, steps=9
        )
        submit(recorded, on(0), {"research.py": "alpha = 0.25\nbeta = 0.5\n"})
        ideas = [Mutate().propose(self.move, recorded, Random(seed)).idea for seed in range(50)]
        assert sum("beta" in idea and "alpha" not in idea for idea in ideas) > 40

    def test_goes_back_past_all_that_crashed(self):
        recorded = RecordedSession(SAMPLE, crash_if_missing, steps=9)
        submit(recorded, DRAFT, changed(MISSING))
        submit(recorded, self.move, changed(("nn.ReLU()", "nn.AlsoMissing()")))
        files = Mutate().propose(on(2, Operator.DEBUG), recorded, Random(0)).files
        assert "Missing" not in files["model.py"]


class TestCombining:
    move = Move(operator=Operator.COMBINE, parents=(1, 2))

    def test_joins_changes_of_different_lines(self):
        recorded = session(STEPS, ("nn.ReLU()", "nn.GELU()"))
        proposal = Mutate().propose(self.move, recorded, Random(0))
        assert proposal.files == changed(STEPS, ("nn.ReLU()", "nn.GELU()"))
        assert proposal.idea == "the changes of step 1 and step 2 together"

    def test_goes_on_from_the_first_parent_where_nothing_can_be_joined(self):
        recorded = session(("nn.ReLU()", "nn.GELU()"), ("nn.ReLU()", "nn.SiLU()"))
        files = Mutate().propose(self.move, recorded, Random(0)).files
        assert "SiLU" not in files["model.py"]
        assert files != recorded.code_of(1)

    def test_joins_them_with_another_change_where_both_together_were_tried(self):
        recorded = session(STEPS, ("nn.ReLU()", "nn.GELU()"))
        submit(recorded, self.move, changed(STEPS, ("nn.ReLU()", "nn.GELU()")))
        proposal = Mutate().propose(self.move, recorded, Random(0))
        assert proposal.idea.startswith("the changes of step 1 and step 2 together; ")
        assert proposal.files not in [recorded.code_of(step.index) for step in recorded.history]

    def test_takes_over_files_that_only_one_of_them_has(self):
        recorded = session(STEPS)
        submit(recorded, DRAFT, {**SAMPLE, "extra.py": "x = 1\n"})
        assert Mutate().propose(self.move, recorded, Random(0)).files == {**changed(STEPS), "extra.py": "x = 1\n"}

    @pytest.mark.parametrize("parents", [(2, 1), (0, 1)])
    def test_a_step_that_adds_nothing_to_the_other_is_not_joined(self, parents: tuple[int, int]):
        """Step 2 stands on step 1, and the baseline has no changes at all."""
        recorded = session(STEPS)
        submit(recorded, on(1), changed(STEPS, ("nn.ReLU()", "nn.GELU()")))
        proposal = Mutate().propose(Move(operator=Operator.COMBINE, parents=parents), recorded, Random(0))
        assert "together" not in proposal.idea
        assert ("GELU" in proposal.files["model.py"]) == (parents[0] == 2)

    def test_with_one_parent_it_is_an_improvement(self):
        move = Move(operator=Operator.COMBINE, parents=(0,))
        assert Mutate().propose(move, session(), Random(0)).files != SAMPLE


class TestLearning:
    def test_leaves_a_line_alone_that_made_no_difference(self):
        files = {"research.py": "dead = 0.5\nalive = 0.5\n"}
        recorded = RecordedSession(files, lambda files: value_of("alive", files), steps=99)
        submit(recorded, DRAFT, {"research.py": "dead = 0.25\nalive = 0.5\n"})
        ideas = [Mutate().propose(on(0), recorded, Random(seed)).idea for seed in range(100)]
        assert sum("alive" in idea for idea in ideas) > 90

    def test_a_line_that_made_a_difference_stays_interesting(self):
        files = {"research.py": "one = 0.5\nother = 0.5\n"}
        recorded = RecordedSession(files, lambda files: value_of("one", files), steps=99)
        submit(recorded, DRAFT, {"research.py": "one = 0.25\nother = 0.5\n"})
        ideas = [Mutate().propose(on(0), recorded, Random(seed)).idea for seed in range(100)]
        assert sum("one" in idea for idea in ideas) > 40


@pytest.mark.parametrize("seed", range(5))
def test_a_greedy_search_climbs_a_hill(seed: int):
    """The best rate is 0.03, two factors away from the baseline's."""
    files = {"research.py": "rate = 1.0\nwidth = 64\nflag = False\n"}
    recorded = RecordedSession(
        files, lambda files: abs(value_of("rate", files) - 0.03), steps=30, seed=seed, metric=ERROR
    )
    SearchAgent(Greedy(), Mutate()).run(recorded)
    best = recorded.history.best
    assert best is not None
    assert best.score is not None
    assert best.score < 0.03
