"""The contract suites must catch what they are there to catch."""

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

import pytest

from fmlbench.core.agents import Proposer, Session, Strategy
from fmlbench.core.errors import AgentFailed
from fmlbench.core.steps import History, Move, Operator, Proposal
from fmlbench.testing.proposers import ProposerContract
from fmlbench.testing.strategies import StrategyContract


@dataclass(frozen=True)
class Deciding:
    """A strategy that is one function."""

    decide: Callable[[History, Random], Move | None]

    def next_move(self, history: History, rng: Random) -> Move | None:
        return self.decide(history, rng)


@dataclass
class Counting:
    """A strategy that remembers how often it was asked."""

    asked: int = 0

    def next_move(self, history: History, rng: Random) -> Move | None:
        self.asked += 1
        return Move(operator=Operator.DRAFT, tags={"asked": str(self.asked)})


@dataclass
class Meddling:
    """A strategy that rewrites the past."""

    def next_move(self, history: History, rng: Random) -> Move | None:
        history[0].evaluation.metrics["seen"] = rng.random()
        return Move(operator=Operator.DRAFT)


def _unseeded(history: History, rng: Random) -> Move | None:
    return Move(operator=Operator.IMPROVE, tags={"rng": str(Random().random())})


def _from_nowhere(history: History, rng: Random) -> Move | None:
    return Move(operator=Operator.IMPROVE, parents=(len(history),))


def _debug_the_best(history: History, rng: Random) -> Move | None:
    return Move(operator=Operator.DEBUG, parents=(history.best.index if history.best else 0,))


def _improve_the_last(history: History, rng: Random) -> Move | None:
    return Move(operator=Operator.IMPROVE, parents=(len(history) - 1,))


def _baseline_again(history: History, rng: Random) -> Move | None:
    return Move(operator=Operator.BASELINE)


@pytest.mark.parametrize(
    ("make", "test"),
    [
        (Counting, StrategyContract.test_remembers_nothing_between_decisions),
        (Meddling, StrategyContract.test_leaves_the_history_as_it_was),
        (lambda: Deciding(_unseeded), StrategyContract.test_decides_the_same_with_an_equal_generator),
        (lambda: Deciding(_unseeded), StrategyContract.test_an_interruption_changes_nothing),
        (lambda: Deciding(_from_nowhere), StrategyContract.test_builds_only_on_steps_that_exist),
        (lambda: Deciding(_from_nowhere), StrategyContract.test_ends_with_the_budget),
        (lambda: Deciding(_unseeded), StrategyContract.test_repeats_a_search_with_the_same_seed),
        (lambda: Deciding(_debug_the_best), StrategyContract.test_debugs_only_failed_steps),
        (lambda: Deciding(_improve_the_last), StrategyContract.test_prefers_no_score_that_is_no_number),
        (lambda: Deciding(_baseline_again), StrategyContract.test_makes_no_second_baseline),
    ],
)
def test_a_strategy_that_breaks_the_rules_is_caught(
    make: Callable[[], Strategy], test: Callable[[StrategyContract], None]
):
    contract = StrategyContract()
    contract.make_strategy = make
    with pytest.raises((AssertionError, AgentFailed)):
        test(contract)


@dataclass
class Proposing:
    """A proposer that spoils what an honest one would have said."""

    files: dict[str, str] = field(default_factory=dict[str, str])
    idea: str = "an idea"
    keeps: bool = True
    submits: bool = False
    unseeded: bool = False

    def propose(self, move: Move, session: Session, rng: Random) -> Proposal:
        files = {**(session.code_of(0) if self.keeps else {}), **self.files}
        if self.unseeded:
            files["random.txt"] = str(Random().random())
        proposal = Proposal(move=move, files=files, idea=self.idea)
        if self.submits:
            session.submit(proposal)
        return proposal


@pytest.mark.parametrize(
    ("proposer", "test"),
    [
        (Proposing(files={"/etc/passwd": "x"}), ProposerContract.test_stays_within_the_repository),
        (Proposing(files={"../out.py": "x"}), ProposerContract.test_stays_within_the_repository),
        (Proposing(idea="two\nlines"), ProposerContract.test_says_its_idea_in_one_line),
        (Proposing(idea=" "), ProposerContract.test_says_its_idea_in_one_line),
        (Proposing(keeps=False), ProposerContract.test_hands_in_all_editable_files),
        (Proposing(unseeded=True), ProposerContract.test_proposes_the_same_with_an_equal_generator),
        (Proposing(submits=True), ProposerContract.test_only_proposes),
    ],
)
def test_a_proposer_that_breaks_the_rules_is_caught(proposer: Proposer, test: Callable[[ProposerContract], None]):
    contract = ProposerContract()
    contract.make_proposer = lambda: proposer
    with pytest.raises(AssertionError):
        test(contract)


def test_python_that_does_not_parse_is_caught():
    contract = ProposerContract()
    contract.make_proposer = lambda: Proposing(files={"model.py": "def f(:"})
    with pytest.raises(SyntaxError):
        contract.test_writes_python_that_parses()
