"""What is shown of one run."""

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from fmlbench.core.figures import score_text
from fmlbench.core.task import Material
from fmlbench.metrics.catalogue import MEASURES
from fmlbench.metrics.measure import Missing
from fmlbench.metrics.reliability import Fate, fates
from fmlbench.metrics.statistics.rates import wilson
from fmlbench.reports.html.plots.bars import Part, draw_bar
from fmlbench.reports.html.plots.map import draw_map, project
from fmlbench.reports.html.plots.scores import PlottedStep, ScoreCurve, draw_scores
from fmlbench.reports.html.reading import RunRecord
from fmlbench.reports.html.step_view import StepLine, plotted_steps, step_details, step_lines, to_script_data
from fmlbench.reports.measures import value_text
from fmlbench.reports.summary import Summary, TestResult
from fmlbench.reports.untrusted import one_line
from fmlbench.reports.wording import (
    VERDICTS,
    brief_estimate_text,
    dollars_text,
    duration_text,
    seal_text,
)

Fact = tuple[str, str]


@dataclass(frozen=True)
class Tile:
    """A figure that is seen first."""

    name: str
    figure: str
    remark: str


@dataclass(frozen=True)
class Chart:
    """A drawing with its legend."""

    drawing: Markup
    parts: Sequence[Part]
    caption: str


@dataclass(frozen=True)
class MeasureLine:
    """A measure's value, or why there is none."""

    name: str
    value: str
    unit: str
    sentence: str


@dataclass(frozen=True)
class RunPage:
    """One run, ready for the template."""

    key: str
    name: str
    task: str
    agent: str
    seed: int
    stage: str
    seal: str
    is_sealed: bool
    gist: str
    """How it came out, in a few words."""
    tiles: Sequence[Tile]
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
    """Put one run's page together; ``room`` is how many bytes the details of its steps may take."""
    steps = plotted_steps(run, key)
    calibration = run.trace.calibration
    return RunPage(
        key=key,
        name=run.name,
        task=run.trace.task.name,
        agent=run.spec.agent.name,
        seed=run.spec.seed,
        stage=str(run.summary.stage),
        seal=seal_text(run.spec.rung),
        is_sealed=run.summary.is_sealed,
        gist=gist_of(run.summary),
        tiles=_tiles(run),
        scores=_scores(run, steps),
        has_tests=any(step.test is not None for step in steps),
        reference=score_text(calibration.reference.validation.mean) if calibration else "",
        sigma=score_text(calibration.baseline.validation.sd) if calibration else "",
        map=_map(run, steps),
        embedder=run.measured.embedder or "",
        lines=step_lines(run, key),
        data=to_script_data(step_details(run, room)),
        outcomes=_outcomes(run),
        time=_time(run),
        measures=_measures(run),
        provenance=_provenance(run),
    )


def gist_of(summary: Summary) -> str:
    """How a run came out, in a few words."""
    if summary.test is not None:
        return VERDICTS[summary.test.verdict]
    return f"{summary.proposed} of {summary.spec.budget.steps} steps"


def _scores(run: RunRecord, steps: Sequence[PlottedStep]) -> Markup:
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
    reached = f"; the best is {score_text(best.validation)} at step {best.index}" if best else ""
    label = f"{run.trace.metric.name} over steps: the baseline has {score_text(run.trace.baseline)}{reached}."
    return draw_scores(curve, label)


def _map(run: RunRecord, steps: Sequence[PlottedStep]) -> Markup | None:
    cloud = run.trace.cloud
    if cloud is None or len(steps) < 2:
        return None
    label = (
        f"The code of {len(steps)} steps as points in a plane, by {cloud.embedder}; the path goes from step to step."
    )
    return draw_map(project(cloud.points), steps, run.trace.metric, label)


def _tiles(run: RunRecord) -> list[Tile]:
    summary = run.summary
    best = summary.best
    tiles = [
        Tile("baseline", score_text(summary.baseline), f"{summary.metric} on validation"),
        Tile(
            "best step",
            score_text(best.validation if best else None),
            f"step {best.index}" if best and best.index else "no step beat the baseline",
        ),
    ]
    if summary.test is not None:
        tiles.append(_test_tile(summary, summary.test))
    tiles += [
        Tile("steps", f"{summary.proposed} of {summary.spec.budget.steps}", f"{summary.succeeded} gave a score"),
        Tile(
            "time",
            duration_text(summary.proposing_seconds + summary.experiment_seconds),
            f"{duration_text(summary.proposing_seconds)} of it proposing",
        ),
        Tile("price", dollars_text(summary.dollars), "of all proposals"),
    ]
    return tiles


def _test_tile(summary: Summary, test: TestResult) -> Tile:
    name = "gain on the sealed test" if summary.is_sealed else "gain on the test, UNSEALED"
    if test.difference is None:
        return Tile(name, "-", VERDICTS[test.verdict])
    figure, _, remark = brief_estimate_text(test.difference, signed=True).partition(" ")
    sigmas = f"; {test.sigmas:+.1f} sigma" if test.sigmas is not None else ""
    return Tile(name, figure.rstrip(","), f"{remark}{sigmas}")


def _outcomes(run: RunRecord) -> Chart:
    counted = fates(run.trace)
    total = len(run.trace.proposed)
    parts = [
        Part(str(fate), counted[fate], str(counted[fate]), fate.replace(" ", "-")) for fate in Fate if counted[fate]
    ]
    interval = wilson(counted[Fate.OK], total)
    rate = f"{counted[Fate.OK]} of {total} steps gave a score"
    caption = f"{rate} (95% interval {interval.low:.0%} to {interval.high:.0%})." if interval else "No step yet."
    troubles = run.trace.troubles
    if troubles:
        caption += f" The machine failed {troubles} times; that is counted against nobody."
    return Chart(draw_bar(parts, caption), parts, caption)


def _time(run: RunRecord) -> Chart:
    names = (("proposing", "proposing_seconds"), ("training and exams", "training_seconds"),
             ("sealed exams", "sealed_exam_seconds"), ("waiting", "waiting_seconds"))  # fmt: skip
    parts = [
        Part(name, max(seconds, 0.0), duration_text(max(seconds, 0.0)), f"time{place}")
        for place, (name, measure) in enumerate(names)
        if (seconds := run.measured.get(measure)) is not None
    ]
    tokens = run.measured.get("tokens")
    caption = f"{tokens:.3f} million tokens, " if tokens else "No tokens, "
    caption += f"price: {dollars_text(run.summary.dollars)}."
    return Chart(draw_bar(parts, "Where the time went."), parts, caption)


def _measures(run: RunRecord) -> list[MeasureLine]:
    lines: list[MeasureLine] = []
    for measure in MEASURES:
        value = run.measured.values[measure.name]
        written = f"none: {value.why}" if isinstance(value, Missing) else value_text(value)
        lines.append(MeasureLine(measure.name, written, measure.unit, measure.sentence))
    return lines


def _provenance(run: RunRecord) -> list[Fact]:
    spec, task, origin = run.spec, run.trace.task, run.state.provenance
    settings = ", ".join(f"{name}={value}" for name, value in spec.agent.settings.items())
    facts = [
        ("run", run.name),
        ("seal", seal_text(spec.rung)),
        ("task", f"{task.name}, track {spec.track}, digest {spec.task_digest}"),
        ("codebase", _material(task.codebase)),
        *(("data", _material(material)) for material in task.data),
        (
            "agent",
            f"{spec.agent.name}: {spec.agent.strategy} over {spec.agent.proposer}"
            + (f", {settings}" if settings else ""),
        ),
        ("seed", str(spec.seed)),
    ]
    if run.trace.calibration:
        facts.append(("noise measured on", f"{run.trace.calibration.machine}, {run.trace.calibration.date}"))
    if origin:
        facts += [
            ("fmlbench", origin.fmlbench),
            ("machine", f"{origin.processor}, {origin.cores} cores, {origin.memory_mb} MB, {origin.platform}"),
            ("Python", f"{origin.python}; the task's: {origin.environment}"),
            ("sandbox", origin.sandbox),
            ("draws from secret", origin.secret),
        ]
    return [(name, one_line(value)) for name, value in facts]


def _material(material: Material) -> str:
    digest = f", sha256 {material.digest}" if material.digest else ""
    return f"{material.name} {material.version}, {material.licence}{digest}"
