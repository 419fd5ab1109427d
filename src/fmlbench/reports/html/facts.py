"""The measures and the provenance of a run."""

from dataclasses import dataclass

from fmlbench.core.task import Material
from fmlbench.metrics.catalogue import MEASURES
from fmlbench.metrics.measure import Missing
from fmlbench.reports.html.run_records import RunRecord
from fmlbench.reports.measures import value_text
from fmlbench.reports.number_text import seal_text
from fmlbench.reports.untrusted import one_line

Fact = tuple[str, str]


@dataclass(frozen=True)
class MeasureLine:
    """A measure's value, or why it is missing."""

    name: str
    value: str
    unit: str
    sentence: str


def measures_of(run: RunRecord) -> list[MeasureLine]:
    """Every measure of the catalogue."""
    lines: list[MeasureLine] = []
    for measure in MEASURES:
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
        ("task", f"{task.name}, track {spec.track}, digest {spec.task_digest}"),
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
