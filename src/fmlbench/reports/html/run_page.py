"""The page section of one run: key numbers, charts, steps, measures and provenance."""

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from fmlbench.core.task import Material
from fmlbench.core.text import score_text
from fmlbench.metrics.catalogue import all_measures
from fmlbench.metrics.measure import Missing
from fmlbench.metrics.reliability import OutcomeClass, step_outcomes
from fmlbench.metrics.statistics.intervals import wilson
from fmlbench.reports.html.plots.run_plots import (
    BarPart,
    PlottedStep,
    ScoreCurve,
    draw_bar,
    draw_map,
    draw_scores,
    project,
)
from fmlbench.reports.html.run_records import RunRecord
from fmlbench.reports.html.step_view import StepLine, plotted_steps, step_details, step_lines, to_script_data
from fmlbench.reports.measure_tables import value_text
from fmlbench.reports.number_text import VERDICTS, brief_estimate_text, dollars_text, duration_text, seal_text
from fmlbench.reports.summary import RunSummary, TestResult
from fmlbench.reports.untrusted import one_line

Fact = tuple[str, str]


@dataclass(frozen=True)
class Card:
    """A key number with a remark."""

    name: str
    figure: str
    remark: str


@dataclass(frozen=True)
class Chart:
    """A chart with its legend."""

    drawing: Markup
    parts: Sequence[BarPart]
    caption: str


@dataclass(frozen=True)
class MeasureLine:
    """A measure's value, or why it is missing."""

    name: str
    value: str
    unit: str
    sentence: str


@dataclass(frozen=True)
class RunPage:
    """One run for the template."""

    key: str
    name: str
    task: str
    agent: str
    seed: int
    stage: str
    seal: str
    is_sealed: bool
    gist: str
    """The result in a few words."""
    cards: Sequence[Card]
    scores: Markup
    has_tests: bool
    reference: str
    sigma: str
    map: Markup | None
    embedder: str
    lines: Sequence[StepLine]
    data: Markup
    outcomes: Chart
    time: Chart
    measures: Sequence[MeasureLine]
    provenance: Sequence[Fact]


def run_page(run: RunRecord, key: str, room: int) -> RunPage:
    """Build one run's section; ``room`` is the maximum size of the step details in bytes."""
    steps = plotted_steps(run, key)
    calibration = run.trace.calibration
    return RunPage(
        key=key,
        name=run.name,
        task=run.trace.task.name,
        agent=run.agent,
        seed=run.spec.seed,
        stage=str(run.summary.stage),
        seal=seal_text(run.spec.isolation),
        is_sealed=run.summary.is_sealed,
        gist=gist_of(run.summary),
        cards=cards_of(run.summary),
        scores=chart_scores(run, steps),
        has_tests=any(step.test is not None for step in steps),
        reference=score_text(calibration.reference.validation.mean) if calibration else "",
        sigma=score_text(calibration.baseline.validation.sd) if calibration else "",
        map=chart_map(run, steps),
        embedder=run.measured.embedder or "",
        lines=step_lines(run, key),
        data=to_script_data(step_details(run, room)),
        outcomes=chart_outcomes(run),
        time=chart_time(run),
        measures=measures_of(run),
        provenance=provenance_of(run),
    )


def gist_of(summary: RunSummary) -> str:
    """The result of a run in a few words."""
    if summary.test is not None:
        return VERDICTS[summary.test.verdict]
    return f"{summary.proposed} of {summary.spec.budget.steps} steps"


def cards_of(summary: RunSummary) -> list[Card]:
    """The key numbers of a run."""
    best = summary.best
    cards = [
        Card("baseline", score_text(summary.baseline), f"{summary.metric} on validation"),
        Card(
            "best step",
            score_text(best.validation if best else None),
            f"step {best.index}" if best and best.index else "no step beat the baseline",
        ),
    ]
    if summary.test is not None:
        name = "gain on the sealed test" if summary.is_sealed else "gain on the test, UNSEALED"
        cards.append(_test_card(name, summary.test))
    if summary.transfer is not None:
        cards.append(_test_card("gain on the sibling", summary.transfer))
    cards += [
        Card("steps", f"{summary.proposed} of {summary.spec.budget.steps}", _steps_remark(summary)),
        Card(
            "time",
            duration_text(summary.proposing_seconds + summary.experiment_seconds),
            f"including {duration_text(summary.proposing_seconds)} proposing",
        ),
        Card("price", dollars_text(summary.dollars), "of all proposals"),
    ]
    return cards


def _steps_remark(summary: RunSummary) -> str:
    """The number of steps with a score, and why the run ended early if it did."""
    early = summary.ended if summary.proposed < summary.spec.budget.steps else ""
    return "; ".join(filter(None, (f"{summary.succeeded} have a score", one_line(early, 200))))


def _test_card(name: str, test: TestResult) -> Card:
    if test.difference is None:
        return Card(name, "-", VERDICTS[test.verdict])
    figure, _, remark = brief_estimate_text(test.difference, signed=True).partition(" ")
    sigmas = f"; {test.sigmas:+.1f} sigma" if test.sigmas is not None else ""
    return Card(name, figure.rstrip(","), f"{remark}{sigmas}")


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


def measures_of(run: RunRecord) -> list[MeasureLine]:
    """Every measure of the catalogue."""
    lines: list[MeasureLine] = []
    for measure in all_measures():
        value = run.measured.values[measure.name]
        written = f"missing: {value.why}" if isinstance(value, Missing) else value_text(value)
        lines.append(MeasureLine(measure.name, written, measure.unit, measure.sentence))
    return lines


def provenance_of(run: RunRecord) -> list[Fact]:
    """Versions, digests and machine of a run."""
    spec, task, origin = run.spec, run.trace.task, run.state.provenance
    agent = spec.agent
    settings = ", ".join(f"{name}={value}" for name, value in agent.settings.items())
    facts = [
        ("run", run.name),
        ("seal", seal_text(spec.isolation)),
        ("task", f"{task.name}, track {spec.track_text}, digest {spec.task_digest}"),
        ("codebase", _material(task.codebase)),
        *(("data", _material(material)) for material in task.data),
        ("agent", ", ".join(filter(None, (f"{agent.name}: {agent.strategy} over {agent.proposer}", settings)))),
        *((("model", f"{agent.model}, prompts {agent.prompts or 'of the agent program'}"),) if agent.model else ()),
        ("seed", str(spec.seed)),
        ("budget", spec.budget.terms),
        *((("end of search", run.summary.ended),) if run.summary.ended else ()),
    ]
    if run.trace.calibration:
        facts.append(("noise measured on", f"{run.trace.calibration.machine}, {run.trace.calibration.date}"))
    if origin:
        facts += [
            ("fmlbench", origin.fmlbench),
            ("machine", f"{origin.processor}, {origin.cores} cores, {origin.memory_mb} MB, {origin.platform}"),
            ("Python", f"{origin.python}; the task's: {origin.environment}"),
            ("sandbox", origin.sandbox),
            ("secret for data samples", origin.secret),
        ]
    return [(name, one_line(value)) for name, value in facts]


def _material(material: Material) -> str:
    digest = f", sha256 {material.digest}" if material.digest else ""
    return f"{material.name} {material.version}, {material.licence}{digest}"
