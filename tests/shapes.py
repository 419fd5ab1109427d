"""The shape of each strategy's tree according to its paper."""

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from itertools import cycle, islice

from fmlbench.core.steps import History, Operator, StagePlan, Step


def parents_of(history: History) -> list[int]:
    return [step.move.parents[0] for step in history.proposed]


def best_before(history: History, step: Step, first: int = 0) -> int:
    best = history.best_of(history.steps[first : step.index])
    assert best
    return best.index


def is_anything(history: History) -> None:
    assert all(history[parent].score is not None for parent in parents_of(history))
    assert len(set(parents_of(history))) > 3


def is_one_line(history: History) -> None:
    assert parents_of(history) == list(range(len(history.proposed)))


def is_a_spine_with_leaves(history: History) -> None:
    for step in history.proposed:
        patches = step.move.operator is Operator.DEBUG
        assert step.move.parents == (step.index - 1 if patches else best_before(history, step),)


def is_drafts_then_the_best(history: History) -> None:
    operators = [step.move.operator for step in history.proposed]
    assert [place for place, operator in enumerate(operators) if operator is Operator.DRAFT] == [0, 1, 2, 3, 4]
    assert parents_of(history)[:5] == [0] * 5
    for step in history.steps[6:]:
        (parent,) = step.move.parents
        patches = step.move.operator is Operator.DEBUG
        assert history[parent].has_failed if patches else parent == best_before(history, step, first=1)


def is_pairs_of_children(history: History) -> None:
    candidates = [step.move.parents[0] for step in history.proposed if step.move.operator is not Operator.DEBUG]
    children = Counter(candidates)
    last = candidates[-1]
    assert {count for parent, count in children.items() if parent != last} == {2}
    # Debug moves take steps too: the number of expanded steps depends on how many candidates fail.
    assert len(children) == (len(candidates) + 1) // 2
    assert len(children) > 1


def is_chains_from_the_baseline(history: History) -> None:
    for step in history.proposed:
        begins = step.move.operator is Operator.DRAFT
        assert step.move.parents == (0 if begins else step.index - 1,)
    assert len(history.drafts) >= 3


def stage_of(step: Step) -> str:
    assert isinstance(step.move.plan, StagePlan)
    return step.move.plan.stage


def is_four_stages(history: History) -> None:
    stages: defaultdict[str, list[Step]] = defaultdict(list)
    for step in history.proposed:
        stages[stage_of(step)].append(step)
    assert list(stages) == ["basic", "tuning", "creative", "ablation"]
    assert [len(steps) for steps in stages.values()] == [2, 4, 10, 4]
    for name in ("tuning", "ablation"):
        first = stages[name][0]
        assert {step.move.parents for step in stages[name]} == {(best_before(history, first, first=1),)}


def is_islands(history: History) -> None:
    islands = [step.move.tags["island"] for step in history.proposed]
    assert islands == list(islice(cycle("123"), len(islands)))
    for step, parent in zip(history.proposed, parents_of(history), strict=True):
        assert parent == 0 or history[parent].move.tags == step.move.tags
    assert any(step.move.operator is Operator.COMBINE for step in history.proposed)


def is_a_spine_then_branches(history: History) -> None:
    branches = [step.move.tags.get("branch", "") for step in history.proposed]
    fork = branches.count("")
    assert branches == [""] * fork + list(islice(cycle("123"), len(branches) - fork))
    assert fork == 6
    for step, parent in zip(history.steps[fork + 1 :], parents_of(history)[fork:], strict=True):
        assert parent <= fork or history[parent].move.tags["branch"] == step.move.tags["branch"]


_FORKS_EARLY = {"window": "5", "slope": "1", "branch_steps": "4"}

STEPS = 20

SHAPES: dict[str, tuple[Mapping[str, str], Callable[[History], None]]] = {
    "random": ({}, is_anything),
    "linear": ({}, is_one_line),
    "greedy": ({}, is_a_spine_with_leaves),
    "aide": ({}, is_drafts_then_the_best),
    "mcts": ({}, is_pairs_of_children),
    "ai-scientist": ({}, is_chains_from_the_baseline),
    "ai-scientist-v2": ({}, is_four_stages),
    "evolve": ({}, is_islands),
    "adaptive": (_FORKS_EARLY, is_a_spine_then_branches),
}
"""Strategy, settings, and the expected shape of its tree."""
