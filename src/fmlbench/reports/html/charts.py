"""The charts of a run."""

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from fmlbench.core.text import score_text
from fmlbench.metrics.reliability import OutcomeClass, step_outcomes
from fmlbench.metrics.statistics.rates import wilson
from fmlbench.reports.html.plots.bars import BarPart, draw_bar
from fmlbench.reports.html.plots.map import draw_map, project
from fmlbench.reports.html.plots.scores import PlottedStep, ScoreCurve, draw_scores
from fmlbench.reports.html.run_records import RunRecord
from fmlbench.reports.number_text import dollars_text, duration_text


@dataclass(frozen=True)
class Chart:
    """A chart with its legend."""

    drawing: Markup
    parts: Sequence[BarPart]
    caption: str


def chart_scores(run: RunRecord, steps: Sequence[PlottedStep]) -> Markup:
    """Scores over steps."""
    calibration = run.trace.calibration
    curve = ScoreCurve(
        metric=run.trace.metric,
        steps=steps,
        baseline=run.trace.baseline,
        sigma=calibration.baseline.validation.sd if calibration else None,
        reference=calibration.reference.validation.mean if calibration else None,
        budget=run.spec.budget.steps,
    )
    best = run.summary.best
    reached = f", the best step ({best.index}) has {score_text(best.validation)}" if best else ""
    label = f"{run.trace.metric.name} over steps: the baseline has {score_text(run.trace.baseline)}{reached}."
    return draw_scores(curve, label)


def chart_map(run: RunRecord, steps: Sequence[PlottedStep]) -> Markup | None:
    """The map of the steps' code; None if it was not embedded."""
    cloud = run.trace.cloud
    if cloud is None or len(steps) < 2:
        return None
    label = (
        f"The code of {len(steps)} steps as points in a plane, by {cloud.embedder}; a path connects successive steps."
    )
    return draw_map(project(cloud.points), steps, run.trace.metric, label)


def chart_outcomes(run: RunRecord) -> Chart:
    """How the steps ended."""
    counted = step_outcomes(run.trace)
    total = len(run.trace.proposed)
    parts = [
        BarPart(str(kind), counted[kind], str(counted[kind]), kind.replace(" ", "-"))
        for kind in OutcomeClass
        if counted[kind]
    ]
    interval = wilson(counted[OutcomeClass.OK], total)
    rate = f"{counted[OutcomeClass.OK]} of {total} steps have a score"
    caption = f"{rate} (95% interval {interval.low:.0%} to {interval.high:.0%})." if interval else "No step yet."
    troubles = run.trace.troubles
    if troubles:
        caption += f" Infrastructure failures: {troubles}; they are retried and do not count."
    return Chart(draw_bar(parts, caption), parts, caption)


def chart_time(run: RunRecord) -> Chart:
    """Time by activity."""
    names = (("proposing", "proposing_seconds"), ("training and exams", "training_seconds"),
             ("sealed exams", "sealed_exam_seconds"), ("waiting", "waiting_seconds"))  # fmt: skip
    parts = [
        BarPart(name, max(seconds, 0.0), duration_text(max(seconds, 0.0)), f"time{place}")
        for place, (name, measure) in enumerate(names)
        if (seconds := run.measured.get(measure)) is not None
    ]
    tokens = run.measured.get("tokens")
    caption = f"{tokens:.3f} million tokens, " if tokens else "No tokens, "
    caption += f"price: {dollars_text(run.summary.dollars)}."
    return Chart(draw_bar(parts, "Time by activity."), parts, caption)
