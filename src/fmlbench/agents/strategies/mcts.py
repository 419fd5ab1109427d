"""Monte-Carlo tree search, as in AIRA: descend by UCT, expand, pass the score up (Toledo et al., arXiv 2507.02554).

A candidate that fails is mended in a chain of debug moves; the first that works stands for the candidate from then on.
A candidate that was never mended passes nothing up and is never descended to. Where that leaves a step without any
child that works, the step is expanded once more.
"""

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
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
    """Which candidates were made of which step, and what was passed up to each."""

    def __init__(self, history: History) -> None:
        self.candidates: defaultdict[int, list[int]] = defaultdict(list)
        self.last_expanded = 0
        self._works: dict[int, int] = {}
        self._visits, self._values = [0], [0.0]
        parents, candidate_of = [0], [0]
        sign = 1 if history.metric.goal is Goal.MAXIMIZE else -1
        # Looked up once: members of an enumeration are slow to get at.
        debug = Operator.DEBUG
        for index, step in enumerate(history.proposed, start=1):
            move, score = step.move, step.score
            parent = move.parents[0]
            is_repair = move.operator is debug
            parents.append(parent)
            candidate_of.append(candidate_of[parent] if is_repair else index)
            self._visits.append(0 if score is None else 1)
            self._values.append(0.0 if score is None else sign * score)
            if score is not None:
                self._works.setdefault(candidate_of[index], index)
            if not is_repair:
                self.candidates[parent].append(index)
                self.last_expanded = parent
        scores = [value for value, visited in zip(self._values, self._visits, strict=True) if visited]
        self._low, self._high = min(scores, default=0.0), max(scores, default=0.0)
        self._pass_up(parents)

    def _pass_up(self, parents: Sequence[int]) -> None:
        """Add every score to all above its step; children come after their parents, so one way back will do."""
        visits, values = self._visits, self._values
        for index in range(len(parents) - 1, 0, -1):
            if visits[index]:
                visits[parents[index]] += visits[index]
                values[parents[index]] += values[index]

    def is_expanded(self, step: int, children: int) -> bool:
        """Whether a step has all its candidates, one of which works."""
        candidates = self.candidates[step]
        return len(candidates) >= children and any(candidate in self._works for candidate in candidates)

    def best_child(self, step: int, exploration: float) -> int:
        """The step to descend to: of the candidates that work, the first with the largest UCT."""
        above = math.log(self._visits[step])
        living = [candidate for candidate in self.candidates[step] if candidate in self._works]
        return self._works[max(living, key=lambda candidate: self._uct(candidate, above, exploration))]

    def _uct(self, candidate: int, above: float, exploration: float) -> float:
        visits = self._visits[candidate]
        span = self._high - self._low
        quality = (self._values[candidate] / visits - self._low) / span if span > 0 else 0.5
        return quality + exploration * math.sqrt(above / visits)
