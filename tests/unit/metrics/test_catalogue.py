"""Measures are found by name; other packages can add some."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from fmlbench.core.errors import BadRequest
from fmlbench.metrics.catalogue import ENTRY_POINTS, MEASURES, all_measures, find_measure
from fmlbench.metrics.measured_run import measure_run
from fmlbench.reports.measure_tables import measure_table
from tests.plugins import install_plugin
from tests.unit.metrics.traces import trace

THEIRS = """
from fmlbench.metrics.measure import Better, Measure, MeasureFamily

def twice(trace):
    return 2.0 * len(trace.proposed)

PLUGIN = Measure("steps_twice", MeasureFamily.EFFICIENCY, "steps", Better.NEITHER, "Twice the steps.", twice)
"""


@pytest.fixture
def their_measure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    install_plugin(monkeypatch, tmp_path, "measures_of_theirs", ENTRY_POINTS, THEIRS)
    all_measures.cache_clear()
    yield
    all_measures.cache_clear()


@pytest.mark.usefixtures("their_measure")
def test_a_measure_of_another_package_is_computed_and_shown_with_the_others():
    measured = measure_run(trace(0.6, 0.7))
    assert measured.values["steps_twice"] == 4.0
    assert measure_table([measured]).rows[-1] == ["steps_twice", "steps", "4.0000"]
    assert len(all_measures()) == len(MEASURES) + 1


def test_an_unknown_measure_is_refused_with_the_names_of_all():
    assert "improvement" in [measure.name for measure in MEASURES]
    with pytest.raises(BadRequest) as caught:
        find_measure("beauty")
    assert caught.value.hint.startswith("Use one of: improvement, transfer, ")
