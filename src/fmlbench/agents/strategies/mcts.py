"""Monte-Carlo tree search, as in AIRA: descend by UCT, expand, pass the score up (Toledo et al., arXiv 2507.02554).

A failed candidate is fixed in a chain of debug moves; the first step that works then represents the candidate. A
candidate that was never fixed is not counted and never visited. A step without a working child is expanded again.
"""

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from random import Random

from fmlbench.agents.settings import parameter
from fmlbench.core.evaluation import Goal
from fmlbench.core.steps import History, Move, Operator


@dataclass(frozen=True)
class MonteCarlo:
    """``exploration`` balances high scores against rarely visited steps."""

    exploration: float = parameter(1.41, "weight of rarely visited steps (the constant c of UCT)", low=0)
    children: int = parameter(2, "number of candidates created when a leaf is expanded", low=1)
    debug_depth: int = parameter(3, "maximum number of consecutive attempts to fix a failed candidate", low=0)

    def next_move(self, history: History, rng: Random) -> Move:
        """Debug the last step if it failed; else finish the current expansion, or descend to a new leaf."""
        last = history[-1]
        if last.index and last.has_failed and history.debug_depth(last.index) < self.debug_depth:
            chain = tuple(history.debug_chain(last.index))
            return Move(operator=Operator.DEBUG, parents=(last.index,), context=chain)
        tree = _Tree(history)
        leaf = self._leaf(tree)
        siblings = tuple(tree.candidates[leaf])
        return Move(operator=Operator.IMPROVE if leaf else Operator.DRAFT, parents=(leaf,), context=siblings)

    def _leaf(self, tree: "_Tree") -> int:
        if not tree.is_expanded(tree.last_expanded, self.children):
            return tree.last_expanded
        leaf = 0
        while tree.is_expanded(leaf, self.children):
            leaf = tree.best_child(leaf, self.exploration)
        return leaf


class _Tree:
    """The candidates of each step, and the step that represents each working candidate."""

    def __init__(self, history: History) -> None:
        # Looked up once: attribute access on an enum is slow.
        debug = Operator.DEBUG
        parents = [0] * len(history)
        candidate_of = list(range(len(history)))
        candidates: defaultdict[int, list[int]] = defaultdict(list)
        works: dict[int, int] = {}
        for index, step in enumerate(history.proposed, start=1):
            move = step.move
            parents[index] = parent = move.parents[0]
            if move.operator is debug:
                candidate_of[index] = candidate_of[parent]
            else:
                candidates[parent].append(index)
            if step.score is not None:
                works.setdefault(candidate_of[index], index)
        self.candidates, self._works = candidates, works
        self.last_expanded = parents[candidate_of[-1]]
        self._history, self._parents = history, parents

    def is_expanded(self, step: int, children: int) -> bool:
        """Whether a step has all its candidates and at least one works."""
        candidates = self.candidates[step]
        return len(candidates) >= children and any(candidate in self._works for candidate in candidates)

    def best_child(self, step: int, exploration: float) -> int:
        """The step to descend to: the working candidate with the largest UCT, the first on a tie."""
        working = [candidate for candidate in self.candidates[step] if candidate in self._works]
        above = self._returns.visits[step]
        return self._works[max(working, key=lambda candidate: self._returns.uct(candidate, above, exploration))]

    @cached_property
    def _returns(self) -> "_Returns":
        """Computed only for a descent; finishing an expansion does not need it."""
        return _Returns(self._history, self._parents)


class _Returns:
    """Visits and scores of the subtree of each step."""

    def __init__(self, history: History, parents: Sequence[int]) -> None:
        sign = 1 if history.metric.goal is Goal.MAXIMIZE else -1
        scores = {step.index: sign * score for step in history.working if (score := step.score) is not None}
        self._low, self._high = min(scores.values(), default=0.0), max(scores.values(), default=0.0)
        self.visits, self._values = visits, values = [0] * len(parents), [0.0] * len(parents)
        for index, score in scores.items():
            visits[index], values[index] = 1, score
        # Children come after their parents, so one pass backwards is enough.
        for index in range(len(parents) - 1, 0, -1):
            parent = parents[index]
            visits[parent] += visits[index]
            values[parent] += values[index]

    def uct(self, candidate: int, above: int, exploration: float) -> float:
        """The upper confidence bound of a candidate, below a step that was visited ``above`` times."""
        visits = self.visits[candidate]
        span = self._high - self._low
        quality = (self._values[candidate] / visits - self._low) / span if span > 0 else 0.5
        return quality + exploration * math.sqrt(math.log(above) / visits)
