"""Show the steps of a run as a tree."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rich.console import Group, RenderableType
from rich.text import Text
from rich.tree import Tree

from fmlbench.core.evaluation import Outcome
from fmlbench.core.text import score_text
from fmlbench.reports.number_text import duration_text
from fmlbench.reports.steps import StepRow
from fmlbench.reports.untrusted import one_line

DEEPEST = 16
"""Deeper steps are shown at this depth with the number of their parent, so that they fit on the screen."""

_LINE = 2
"""A chain of at least this many only children is not indented further."""


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
