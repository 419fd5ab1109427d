"""A step on the page: a line in the list, and the details that a click shows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from fmlbench.core.steps import Step
from fmlbench.core.text import counted, form_of, score_text
from fmlbench.metrics.reliability import step_outcome
from fmlbench.reports.html.graph import draw_rows, lay_lanes
from fmlbench.reports.html.plots.scores import PlottedStep
from fmlbench.reports.html.run_records import RunRecord
from fmlbench.reports.html.script_data import head_of, tail_of, to_json
from fmlbench.reports.number_text import dollars_text, duration_text
from fmlbench.reports.steps import StepRow, step_rows
from fmlbench.reports.untrusted import clean, one_line

_DIFF_SHARE = 5 / 8
_OTHER_SHARE = 1 / 8
"""Shares of a step's bytes: the diff, and each of idea, reason and log."""
_MANY = 1e6
"""Above this many sigmas no decimals are shown."""


@dataclass(frozen=True)
class StepLine:
    """A step in the list."""

    index: int
    target: str
    lanes: Markup
    outcome_class: str
    """Its colour class."""
    result: str
    """The score, or the outcome if there is none."""
    mark: str
    """'winner', 'best so far' or empty."""
    idea: str


@dataclass(frozen=True)
class StepDetail:
    """The details of a step that the page's script shows, all as plain text."""

    title: str
    outcome_class: str
    outcome: str
    parents: Sequence[int]
    facts: Sequence[tuple[str, str]]
    idea: str
    reason: str
    violations: Sequence[str]
    diff: str
    diff_note: str
    log: str


def plotted_steps(run: RunRecord, key: str) -> list[PlottedStep]:
    """The steps for the plots."""
    steps = run.state.steps
    return [
        PlottedStep(
            index=row.index,
            target=target_of(key, row.index),
            hint=_hint(row),
            outcome_class=step_outcome(steps[row.index]),
            score=row.score,
            test=row.test,
            was_best=row.was_best,
            is_winner=is_winner(row),
        )
        for row in step_rows(run.state, run.trace.metric)
    ]


def step_lines(run: RunRecord, key: str) -> list[StepLine]:
    """The list of a run's steps, with the graph of the search tree."""
    steps = run.state.steps
    rows = step_rows(run.state, run.trace.metric)
    classes = [_class(steps[row.index]) + (" winner" if is_winner(row) else "") for row in rows]
    drawn = draw_rows(lay_lanes([(step.move.parents or (None,))[0] for step in steps]), classes)
    return [
        StepLine(
            index=row.index,
            target=target_of(key, row.index),
            lanes=lanes,
            outcome_class=_class(steps[row.index]),
            result=score_text(row.score) if row.score is not None else str(row.outcome),
            mark="winner" if is_winner(row) else "best so far" if row.was_best and row.index else "",
            idea=one_line(row.idea, 200) if row.index else "the unchanged codebase",
        )
        for row, lanes in zip(rows, drawn, strict=True)
    ]


def step_details(run: RunRecord, room: int) -> list[StepDetail]:
    """The details of all steps; ``room`` is their maximum size in bytes."""
    rows = step_rows(run.state, run.trace.metric)
    return [_detail(run, row, room // len(rows)) for row in rows]


def to_script_data(details: Sequence[StepDetail]) -> Markup:
    """The details as data for the page's script."""
    return Markup(to_json([vars(detail) for detail in details]))  # noqa: S704 - to_json escapes HTML


def target_of(key: str, index: int) -> str:
    """The anchor of a step on the page."""
    return f"{key}.s{index}"


def is_winner(row: StepRow) -> bool:
    """Whether this is the validation winner and not the baseline."""
    return row.is_best and row.index > 0


def _class(step: Step) -> str:
    return step_outcome(step).replace(" ", "-")


def _hint(row: StepRow) -> str:
    result = score_text(row.score) if row.score is not None else str(row.outcome)
    test = f", hidden test {score_text(row.test)}" if row.test is not None else ""
    return f"step {row.index}: {result}{test}. {one_line(row.idea, 120)}"


def _detail(run: RunRecord, row: StepRow, room: int) -> StepDetail:
    step = run.state.steps[row.index]
    diff, note = _diff(run, row, int(room * _DIFF_SHARE))
    other = int(room * _OTHER_SHARE)
    return StepDetail(
        title=f"Step {row.index}: {row.operator}",
        outcome_class=_class(step),
        outcome=str(row.outcome),
        parents=row.parents,
        facts=[*_score_facts(run, row), *_effort_facts(step), *_measured_facts(step)],
        idea=head_of(clean(row.idea), other),
        reason=head_of(clean(row.reason), other),
        violations=[one_line(violation, 400) for violation in row.violations],
        diff=diff,
        diff_note=note,
        log=tail_of(clean(step.evaluation.log_tail), other),
    )


def _score_facts(run: RunRecord, row: StepRow) -> list[tuple[str, str]]:
    facts = [("validation", score_text(row.score))]
    baseline, calibration = run.trace.baseline, run.trace.calibration
    if row.index and row.score is not None and baseline is not None:
        gain = run.trace.metric.gain(row.score, baseline)
        sigma = calibration.baseline.validation.sd if calibration else 0.0
        sigmas = f" ({gain / sigma:+{'.1f' if abs(gain) < _MANY * sigma else '.3g'}} sigma)" if sigma else ""
        facts.append(("gain", f"{gain:{form_of(gain, signed=True)}}{sigmas}"))
    if row.test is not None:
        facts.append(("hidden test", score_text(row.test)))
    return facts


def _effort_facts(step: Step) -> list[tuple[str, str]]:
    usage, evaluation = step.usage, step.evaluation
    facts = [("proposing", duration_text(usage.seconds)), ("experiment", duration_text(evaluation.seconds))]
    if usage.calls:
        tokens = f"{usage.input_tokens:,} in, {usage.output_tokens:,} out, {counted(usage.calls, 'call')}"
        facts += [("tokens", tokens), ("price", dollars_text(usage.dollars))]
    if step.index and step.information_bytes is not None:
        facts.append(("information added", f"{step.information_bytes:,} bytes"))
    if evaluation.peak_memory_mb:
        facts.append(("peak memory", f"{evaluation.peak_memory_mb:.0f} MB"))
    return facts


def _measured_facts(step: Step) -> list[tuple[str, str]]:
    return [
        *_named(step.evaluation.metrics, ""),
        *_named(step.evaluation.self_reported, " (self-reported)"),
    ]


def _named(values: Mapping[str, float], remark: str) -> list[tuple[str, str]]:
    return [(one_line(name, 60) + remark, score_text(value)) for name, value in values.items()]


def _diff(run: RunRecord, row: StepRow, room: int) -> tuple[str, str]:
    """The diff, truncated to ``room``, and a note if it is truncated or missing."""
    if not row.parents:
        return "", "The baseline has no diff."
    if run.diffs is None:
        return "", "The snapshots of this run are missing, so its diffs cannot be shown."
    diff = clean(run.diffs[row.index])
    if not diff:
        return "", f"The same code as step {row.parents[0]}."
    kept = head_of(diff, room)
    if kept == diff:
        return diff, ""
    kept = kept.rpartition("\n")[0]
    left_out = diff.count("\n") - kept.count("\n")
    return kept, f"{left_out} more lines: fmlbench show {run.name} --diff {row.index}"
