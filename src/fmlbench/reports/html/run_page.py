"""The page section of one run."""

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from fmlbench.core.text import score_text
from fmlbench.reports.html.cards import Card, cards_of
from fmlbench.reports.html.charts import Chart, chart_map, chart_outcomes, chart_scores, chart_time
from fmlbench.reports.html.facts import Fact, MeasureLine, measures_of, provenance_of
from fmlbench.reports.html.run_records import RunRecord
from fmlbench.reports.html.step_view import StepLine, plotted_steps, step_details, step_lines, to_script_data
from fmlbench.reports.number_text import VERDICTS, seal_text
from fmlbench.reports.summary import RunSummary


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
