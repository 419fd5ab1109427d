"""The steps of a run as the tree they grew into."""

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.text import Text
from rich.tree import Tree

from fmlbench.core.evaluation import Outcome
from fmlbench.core.figures import score_text
from fmlbench.reports.steps import StepRow
from fmlbench.reports.untrusted import one_line
from fmlbench.reports.wording import duration_text

DEEPEST = 16
"""Steps below this depth are hung up here, and say what they stand on: deeper ones would leave the screen."""


def step_tree(rows: Sequence[StepRow]) -> RenderableType:
    """Every step below its first parent."""
    if not rows:
        return Text("no step yet")
    roots: list[Tree] = []
    branches: list[Tree] = []
    depths: list[int] = []
    for row in rows:
        if not row.parents:
            roots.append(Tree(_label(row)))
            branches.append(roots[-1])
            depths.append(0)
            continue
        parent = row.parents[0]
        is_deep = depths[parent] >= DEEPEST
        branch = branches[parent].add(_label(row, on=row.parents if is_deep else row.parents[1:]))
        branches.append(branches[parent] if is_deep else branch)
        depths.append(depths[parent] + (not is_deep))
    return Group(*roots)


def outcome_style(outcome: Outcome) -> str:
    """The colour of an outcome."""
    return "green" if outcome is Outcome.OK else "red"


def _label(row: StepRow, on: Sequence[int] = ()) -> Text:
    """One step in a line; ``on`` names parents that its place in the tree does not show."""
    label = Text(overflow="fold")
    label.append(f"{row.index} ", style="bold")
    label.append(str(row.outcome), style=outcome_style(row.outcome))
    if row.score is not None:
        label.append(f" {score_text(row.score)}")
    if row.is_best:
        label.append(" best", style="bold yellow")
    if row.test is not None:
        label.append(f" (test {score_text(row.test)})", style="cyan")
    label.append(f"  {row.operator}" + "".join(f" on {parent}" for parent in on), style="dim")
    if row.index:
        label.append(f": {one_line(row.idea, 160)}")
    if row.reason:
        label.append(f" [{one_line(row.reason, 120)}]", style="dim")
    for violation in row.violations:
        label.append(f" violation: {one_line(violation, 80)}", style="bold red")
    label.append(f" ({duration_text(row.seconds)})", style="dim")
    return label
