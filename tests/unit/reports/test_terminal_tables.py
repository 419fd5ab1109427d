"""Lists of tasks and runs on screens of every width."""

import io
from collections.abc import Sequence

import pytest
from rich.console import Console, RenderableType

from fmlbench.core.run import Isolation, RunSpec
from fmlbench.reports.summary import RunSummary, summarise
from fmlbench.reports.tasks import task_table
from fmlbench.reports.terminal import run_table
from fmlbench.tasks.library import all_tasks
from tests.handwritten_runs import complete_run, spec_of, state_of, toy

NAMES = [folder.task.name for folder in all_tasks(None)]


def lines_of(report: RenderableType, width: int) -> list[str]:
    screen = io.StringIO()
    Console(file=screen, width=width).print(report, crop=False)
    return [line.rstrip() for line in screen.getvalue().splitlines()]


def summaries_of(specs: Sequence[RunSpec]) -> list[RunSummary]:
    return [summarise(spec, state_of(*complete_run(spec)), toy()) for spec in specs]


def long_spec() -> RunSpec:
    spec = spec_of()
    return spec.model_copy(update={"agent": spec.agent.model_copy(update={"name": "a-very-patient-agent" * 4})})


@pytest.mark.parametrize("width", [20, 40, 80, 100, 160])
def test_tasks_keep_their_names_on_every_screen(width: int):
    lines = lines_of(task_table(folder.task for folder in all_tasks(None)), width)
    assert [name for line in lines for name in line.split(" ")[:1] if name in NAMES] == NAMES


def test_a_narrow_list_of_tasks_breaks_no_word_and_keeps_to_the_screen():
    lines = lines_of(task_table(folder.task for folder in all_tasks(None)), 80)
    assert max(map(len, lines)) <= 80
    assert lines[0].split() == ["task", "question", "score"]
    assert any("linear_probe_accuracy," in line for line in lines)


@pytest.mark.parametrize("width", [20, 40, 60, 80, 100, 160])
def test_runs_take_one_line_each_with_their_whole_names(width: int):
    specs = [spec_of(), spec_of(Isolation.NONE)]
    lines = lines_of(run_table(summaries_of(specs)), width)
    assert [spec.run_id in line for spec, line in zip(specs, lines[-2:], strict=True)] == [True, True]


@pytest.mark.parametrize("width", [60, 80, 100, 120])
def test_columns_are_left_out_rather_than_going_beyond_the_edge(width: int):
    assert max(map(len, lines_of(run_table(summaries_of([spec_of(), spec_of(Isolation.NONE)])), width))) <= width


def test_on_eighty_columns_runs_have_their_time_their_state_and_their_score():
    lines = lines_of(run_table(summaries_of([spec_of()])), 80)
    assert lines[0].split("  ")[0] == "run"
    for words in ("started", "state", "best score"):
        assert words in lines[0]
    assert "complete" in lines[2]
    assert "0.7000" in lines[2]


def test_a_score_of_an_unsealed_run_is_marked_at_every_width():
    for width in range(20, 200):
        (line,) = lines_of(run_table(summaries_of([spec_of(Isolation.NONE)])), width)[-1:]
        assert "UNSEALED" in line or "0.7000" not in line, width


def test_a_name_that_is_wider_than_the_screen_goes_on_beyond_its_edge_and_widens_no_other_line():
    long, short = long_spec(), spec_of()
    first, second = lines_of(run_table(summaries_of([long, short])), 80)
    assert first.endswith(long.run_id)
    assert second.endswith(short.run_id)
    assert len(first) > 80 > len(second)


def test_labels_have_a_column_where_a_run_has_one():
    assert "label" not in lines_of(run_table(summaries_of([spec_of()])), 160)[0]
    lines = lines_of(run_table(summaries_of([spec_of(), spec_of(label="again")])), 160)
    assert "label" in lines[0]
    assert "again" in lines[3]
