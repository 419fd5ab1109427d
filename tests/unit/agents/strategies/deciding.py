"""What tests of strategies ask again and again."""

from random import Random

from fmlbench.core.agents import Strategy
from fmlbench.core.notes import Sketch, SketchRecorded
from fmlbench.core.steps import History, Move, Operator

Decision = tuple[Operator, tuple[int, ...]]


def move_of(strategy: Strategy, history: History, seed: int = 0) -> Move:
    move = strategy.next_move(history, Random(seed))
    assert move is not None
    return move


def decide(strategy: Strategy, history: History, seed: int = 0) -> Decision:
    move = move_of(strategy, history, seed)
    return move.operator, move.parents


def decisions(strategy: Strategy, history: History, seeds: int = 200) -> set[Decision]:
    return {decide(strategy, history, seed) for seed in range(seeds)}


def share_of(operator: Operator, strategy: Strategy, history: History, seeds: int = 1000) -> float:
    return sum(decide(strategy, history, seed)[0] is operator for seed in range(seeds)) / seeds


def sketched(step: int, *, size: int = 0, diversity: float = 0.0, shift: tuple[int, ...] = (0, 0)) -> SketchRecorded:
    return SketchRecorded(step=step, sketch=Sketch(size=size, diversity=diversity, shift=shift))
