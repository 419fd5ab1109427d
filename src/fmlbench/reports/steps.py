"""A run's steps: as rows for tables and JSON, and as a tree in the terminal."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rich.console import Group, RenderableType
from rich.text import Text
from rich.tree import Tree

from fmlbench.core.evaluation import Metric, Outcome
from fmlbench.core.notes import ViolationSeen
from fmlbench.core.steps import IdeaPlan, Move, Operator, Plan, StagePlan, Step
from fmlbench.core.text import score_text
from fmlbench.records.replay import RunState
from fmlbench.reports.number_text import duration_text
from fmlbench.reports.untrusted import one_line

DEEPEST = 16
"""Deeper steps are shown at this depth with the number of their parent, so that they fit on the screen."""

_LINE = 2
"""A chain of at least this many only children is not indented further."""


@dataclass(frozen=True)
class StepRow:
    """One step. Idea and reason are untrusted text: clean them before showing."""

    index: int
    operator: Operator
    parents: tuple[int, ...]
    tags: Mapping[str, str]
    """The plan, the hint and the tags of the move."""
    outcome: Outcome
    score: float | None
    is_best: bool
    """Whether this is the run's best step on validation so far."""
    was_best: bool
    """Whether it was the best when it finished."""
    test: float | None
    """The hidden test score; None until the search is finished."""
    idea: str
    reason: str
    seconds: float
    """Of the proposal and its experiment."""
    violations: tuple[str, ...]
    """Violations of the code, and of the agent before this step."""
    snapshot: str
    information_bytes: int | None
    """Information that the proposal adds to the baseline, if measured."""


def step_rows(state: RunState, metric: Metric) -> list[StepRow]:
    """All steps, baseline first."""
    best = state.history(metric).best
    rows: list[StepRow] = []
    record: float | None = None
    violations = _violations_before(state)
    for step in state.steps:
        was_best = metric.is_better(step.score, record)
        record = step.score if was_best else record
        before = violations.get(step.index, ())
        rows.append(_row(step, state, before, is_best=step is best, was_best=was_best))
    return rows


def _row(step: Step, state: RunState, before: Sequence[str], *, is_best: bool, was_best: bool) -> StepRow:
    test = state.tests.get(step.index) if state.finished else None
    return StepRow(
        index=step.index,
        operator=step.move.operator,
        parents=step.move.parents,
        tags=_tags_of(step.move),
        outcome=step.evaluation.outcome,
        score=step.score,
        is_best=is_best,
        was_best=was_best,
        test=test.score if test and test.is_ok else None,
        idea=step.idea,
        reason=step.evaluation.reason,
        seconds=step.usage.seconds + step.evaluation.seconds,
        violations=(*before, *step.evaluation.violations, *(test.violations if test else ())),
        snapshot=step.snapshot,
        information_bytes=step.information_bytes,
    )


def _tags_of(move: Move) -> dict[str, str]:
    hint = {"hint": move.hint} if move.hint else {}
    return {**_plan_tags(move.plan), **hint, **move.tags}


def _plan_tags(plan: Plan | None) -> dict[str, str]:
    """The plan of a move in words."""
    match plan:
        case IdeaPlan():
            return {"idea": str(plan.number), "run": str(plan.run)}
        case StagePlan():
            return {"stage": plan.stage, "part": str(plan.part), "goal": plan.goal}
        case None:
            return {}


def _violations_before(state: RunState) -> Mapping[int, Sequence[str]]:
    """The agent's violations before each step; those after the last step are assigned to it."""
    violations: defaultdict[int, list[str]] = defaultdict(list[str])
    for note in state.notes:
        if isinstance(note, ViolationSeen):
            violations[min(note.step, len(state.steps) - 1)].append(note.text)
    return violations


def step_tree(rows: Sequence[StepRow]) -> RenderableType:
    """Every step below its first parent; the label names parents that the position does not show."""
    if not rows:
        return Text("no step yet")
    children = Counter(row.parents[0] for row in rows if row.parents)
    roots: list[Tree] = []
    positions: list[_Place] = []
    for row in rows:
        if not row.parents:
            roots.append(Tree(_label(row)))
            positions.append(_Place(roots[-1]))
            continue
        parent = positions[row.parents[0]]
        line = parent.line + 1 if children[row.parents[0]] == 1 else 0
        branch = parent.tree.add(_label(row, on=row.parents if parent.is_flat else row.parents[1:]))
        is_flat = line >= _LINE or parent.depth >= DEEPEST
        positions.append(
            _Place(parent.tree, parent.depth, line, is_flat=True) if is_flat else _Place(branch, parent.depth + 1, line)
        )
    return Group(*roots)


@dataclass(frozen=True)
class _Place:
    """The tree node to which a step's children are added."""

    tree: Tree
    depth: int = 0
    line: int = 0
    """Length of the chain of only children up to this step."""
    is_flat: bool = False
    """Whether children are added beside the step instead of below it."""


def outcome_style(outcome: Outcome) -> str:
    """The colour of an outcome."""
    return "green" if outcome is Outcome.OK else "red"


def _label(row: StepRow, on: Sequence[int] = ()) -> Text:
    """One step as a line; ``on`` are parents that the position in the tree does not show."""
    label = Text(overflow="fold")
    label.append(f"{row.index} ", style="bold")
    label.append(str(row.outcome), style=outcome_style(row.outcome))
    if row.score is not None:
        label.append(f" {score_text(row.score)}")
    if row.is_best:
        label.append(" best", style="bold yellow")
    if row.test is not None:
        label.append(f" (test {score_text(row.test)})", style="cyan")
    parents = f" on {' and '.join(map(str, on))}" if on else ""
    label.append(f"  {row.operator}{parents}{_tag_text(row.tags)}", style="dim")
    if row.index:
        label.append(f": {one_line(row.idea, 160)}")
    if row.reason:
        label.append(f" [{one_line(row.reason, 120)}]", style="dim")
    for violation in row.violations:
        label.append(f" violation: {one_line(violation, 80)}", style="bold red")
    added = f", adds {row.information_bytes:,} bytes" if row.index and row.information_bytes is not None else ""
    label.append(f" ({duration_text(row.seconds)}{added})", style="dim")
    return label


def _tag_text(tags: Mapping[str, str]) -> str:
    """A strategy's tags of a step, such as idea, stage or island; values of several words are left out."""
    words = {one_line(name, 20): one_line(value, 20) for name, value in tags.items()}
    return "".join(f", {name} {value}" for name, value in words.items() if value and " " not in value)
