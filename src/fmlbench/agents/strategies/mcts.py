"""Monte-Carlo tree search, as in AIRA: descend by UCT, expand, pass the score up (Toledo et al., arXiv 2507.02554).

A candidate that fails is mended in a chain of debug moves; the first that works stands for the candidate from then on.
A candidate that was never mended passes nothing up and is never descended to. Where that leaves a step without any
child that works, the step is expanded once more.
"""

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from random import Random

from fmlbench.agents.settings import parameter
from fmlbench.core.metric import Goal
from fmlbench.core.steps import History, Move, Operator


@dataclass(frozen=True)
class MonteCarlo:
    """Between what scored well and what was seldom tried, ``exploration`` decides."""

    exploration: float = parameter(1.41, "the weight of what was seldom visited (the constant c of UCT)", low=0)
    children: int = parameter(2, "how many candidates a leaf is expanded by", low=1)
    debug_depth: int = parameter(3, "how often in a row a failed candidate is mended before it is given up", low=0)

    def next_move(self, history: History, rng: Random) -> Move:
        """Debug the last step if it failed; else finish the expansion at hand, or descend to a new leaf."""
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
    """Which candidates were made of which step, and the step that stands for each candidate that works."""

    def __init__(self, history: History) -> None:
        # Looked up once: members of an enumeration are slow to get at.
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
        """Whether a step has all its candidates, one of which works."""
        candidates = self.candidates[step]
        return len(candidates) >= children and any(candidate in self._works for candidate in candidates)

    def best_child(self, step: int, exploration: float) -> int:
        """The step to descend to: of the candidates that work, the first with the largest UCT."""
        living = [candidate for candidate in self.candidates[step] if candidate in self._works]
        above = self._returns.visits[step]
        return self._works[max(living, key=lambda candidate: self._returns.uct(candidate, above, exploration))]

    @cached_property
    def _returns(self) -> "_Returns":
        """Worked out for a descent only: to finish an expansion takes none of it."""
        return _Returns(self._history, self._parents)


class _Returns:
    """What was passed up to each step."""

    def __init__(self, history: History, parents: Sequence[int]) -> None:
        sign = 1 if history.metric.goal is Goal.MAXIMIZE else -1
        scores = {step.index: sign * score for step in history.working if (score := step.score) is not None}
        self._low, self._high = min(scores.values(), default=0.0), max(scores.values(), default=0.0)
        self.visits, self._values = visits, values = [0] * len(parents), [0.0] * len(parents)
        for index, score in scores.items():
            visits[index], values[index] = 1, score
        # Children come after their parents, so one way back will do.
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
