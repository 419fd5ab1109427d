"""Tables of measured runs: a column per run for reading, a row per run for data."""

from collections.abc import Sequence

from fmlbench.core.run import agent_names
from fmlbench.core.text import score_text
from fmlbench.metrics.catalogue import MEASURES
from fmlbench.metrics.measure import Missing, Value
from fmlbench.metrics.measurement import MeasuredRun
from fmlbench.reports.number_text import seal_text
from fmlbench.reports.table import DataTable

_FACTS = ("run", "task", "track", "agent", "seed", "seal", "embedder")


def measure_table(runs: Sequence[MeasuredRun]) -> DataTable:
    """Every measure of some runs side by side; notes give the reasons for missing values."""
    missing: dict[str, None] = {}
    rows = [["seal", "", *(seal_text(run.spec.isolation) for run in runs)]]
    for measure in MEASURES:
        values = [run.values[measure.name] for run in runs]
        for run, value in zip(runs, values, strict=True):
            if isinstance(value, Missing):
                missing[f"{measure.name} of {run.spec.run_id}: {value.why}."] = None
        rows.append([measure.name, measure.unit, *map(value_text, values)])
    embedders = sorted({run.embedder for run in runs if run.embedder})
    notes = [f"Exploration by embedder {name}; not comparable with other embedders." for name in embedders]
    return DataTable(("measure", "unit", *(run.spec.run_id for run in runs)), rows, [*notes, *missing])


def run_data(runs: Sequence[MeasuredRun]) -> DataTable:
    """One row per run, at full precision; a missing value is an empty cell."""
    agents = agent_names([run.spec.agent for run in runs])
    rows = [
        [*_facts(run, agent), *(_exact(run.values[measure.name]) for measure in MEASURES)]
        for run, agent in zip(runs, agents, strict=True)
    ]
    return DataTable((*_FACTS, *(measure.name for measure in MEASURES)), rows)


def value_text(value: Value) -> str:
    """A rounded value, or a dash if missing."""
    return "-" if isinstance(value, Missing) else score_text(value)


def _exact(value: Value) -> str:
    return "" if isinstance(value, Missing) else repr(float(value))


def _facts(run: MeasuredRun, agent: str) -> list[str]:
    spec = run.spec
    seal = seal_text(spec.isolation)
    return [spec.run_id, run.task, spec.track, agent, str(spec.seed), seal, run.embedder or ""]
