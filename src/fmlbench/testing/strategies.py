"""What every strategy must do; inherit the class, say how yours is made, and pytest does the rest.

class TestGreedy(StrategyContract):
    def make_strategy(self):
        return Greedy()
"""

import math
from dataclasses import dataclass
from random import Random

from fmlbench.agents.search_agent import Observer, SearchAgent
from fmlbench.core.agents import Session, Strategy
from fmlbench.core.evaluation import Outcome
from fmlbench.core.steps import History, Move, Operator, Proposal
from fmlbench.testing.histories import (
    CRASH,
    ERROR,
    INFRA,
    INVALID,
    OUT_OF_MEMORY,
    REJECTION,
    TIMEOUT,
    Result,
    combine,
    debug,
    draft,
    history_of,
    improve,
)
from fmlbench.testing.sessions import Experiment, Files, RecordedSession, comparable_steps

_SEEDS = range(20)
_BUDGET = 25


class StrategyContract:
    """A strategy is a pure function of the history and the random generator."""

    observer: Observer | None = None
    """Who notes what the strategy wants to know of the steps, where it wants to."""

    def make_strategy(self) -> Strategy:
        """Make the strategy that is to be tested."""
        raise NotImplementedError

    def test_it_is_a_strategy(self) -> None:
        assert isinstance(self.make_strategy(), Strategy)

    def test_builds_only_on_steps_that_exist(self) -> None:
        for name, history in histories().items():
            for move in self._moves(history):
                named = (*move.parents, *move.context)
                assert all(0 <= index < len(history) for index in named), f"{name}: {move}"
                assert move.parents, f"{name}: {move}"

    def test_makes_no_second_baseline(self) -> None:
        for history in histories().values():
            assert all(move.operator is not Operator.BASELINE for move in self._moves(history))

    def test_decides_the_same_with_an_equal_generator(self) -> None:
        for name, history in histories().items():
            assert self._moves(history) == self._moves(history), name

    def test_remembers_nothing_between_decisions(self) -> None:
        seasoned = self.make_strategy()
        for history in histories().values():
            seasoned.next_move(history, Random(1))
        for name, history in histories().items():
            fresh = self.make_strategy().next_move(history, Random(0))
            assert seasoned.next_move(history, Random(0)) == fresh, name

    def test_leaves_the_history_as_it_was(self) -> None:
        for name, history in histories().items():
            before = repr(history)
            self.make_strategy().next_move(history, Random(0))
            assert repr(history) == before, name

    def test_debugs_only_failed_steps(self) -> None:
        for name, history in histories().items():
            debugged = [move.parents[0] for move in self._moves(history) if move.operator is Operator.DEBUG]
            assert all(history[step].has_failed for step in debugged), name

    def test_prefers_no_score_that_is_no_number(self) -> None:
        best = history_of(0.5, draft(0.9), draft(0.2), *[draft(math.nan)] * 6, draft(math.inf), draft(-math.inf))
        improved = [move.parents for move in self._moves(best) if move.operator is Operator.IMPROVE]
        assert all(best[parents[0]].score is not None for parents in improved)

    def test_ends_with_the_budget(self) -> None:
        for name, result in _RESULTS.items():
            session = _session(result)
            self._agent().run(session)
            assert len(session.history.proposed) <= _BUDGET, name

    def test_repeats_a_search_with_the_same_seed(self) -> None:
        one, other = _session(), _session()
        self._agent().run(one)
        self._agent().run(other)
        assert comparable_steps(one.history) == comparable_steps(other.history)

    def test_an_interruption_changes_nothing(self) -> None:
        whole = _session()
        self._agent().run(whole)
        for done in range(0, len(whole.history.proposed), 4):
            resumed = whole.interrupted_after(done)
            self._agent().run(resumed)
            assert comparable_steps(resumed.history) == comparable_steps(whole.history), (
                f"interrupted after step {done}"
            )

    def _moves(self, history: History) -> list[Move]:
        moves = (self.make_strategy().next_move(history, Random(seed)) for seed in _SEEDS)
        return [move for move in moves if move is not None]

    def _agent(self) -> SearchAgent:
        return SearchAgent(self.make_strategy(), _Numbering(), self.observer)


@dataclass(frozen=True)
class _Numbering:
    """A proposer whose candidates differ in nothing but a number."""

    def propose(self, move: Move, session: Session, rng: Random) -> Proposal:
        files = {"step.txt": f"{len(session.history)} {rng.random()}"}
        return Proposal(move=move, files=files, idea=f"number {len(session.history)}")


def _any_result(files: Files) -> Result:
    """A score, or now and then none, that follows from the files."""
    rng = Random(files["step.txt"])
    return rng.choice((CRASH, Outcome.INVALID, rng.random(), rng.random(), rng.random()))


_RESULTS: dict[str, Experiment] = {
    "anything": _any_result,
    "nothing but crashes": lambda _: CRASH,
    "nothing but rejections": lambda _: REJECTION,
    "one score for all": lambda _: 0.5,
    "scores that are no numbers": lambda _: math.nan,
}


def _session(result: Experiment = _any_result) -> RecordedSession:
    return RecordedSession({"step.txt": "0"}, result, steps=_BUDGET, seed=7)


def histories() -> dict[str, History]:
    """Hand-written histories that a strategy must cope with, by what is odd about them."""
    return {
        "only a baseline": history_of(0.5),
        "a baseline that crashed": history_of(CRASH),
        "nothing but crashes": history_of(CRASH, CRASH, debug(CRASH, of=1), debug(CRASH, of=2), CRASH),
        "crashes after a baseline": history_of(0.5, CRASH, CRASH, CRASH),
        "every way to fail": history_of(0.5, TIMEOUT, OUT_OF_MEMORY, REJECTION, INVALID, INFRA),
        "all scores equal": history_of(0.5, 0.5, 0.5, 0.5),
        "scores that are no numbers": history_of(math.nan, math.nan, 0.2, math.nan),
        "a smaller score is better": history_of(0.5, 0.4, 0.3, 0.6, metric=ERROR),
        "infinite scores": history_of(0.5, math.inf, -math.inf),
        "a budget of one step": history_of(0.5, budget=1),
        "more steps than the budget": history_of(0.5, 0.6, 0.7, CRASH, budget=2),
        "a tree": history_of(
            0.5, draft(0.6), improve(0.7, of=1), draft(CRASH), debug(0.4, of=3), combine(0.8, of=(2, 4))
        ),
        "a long search": history_of(0.5, *(0.5 + 0.001 * (step % 97) for step in range(200))),
    }
