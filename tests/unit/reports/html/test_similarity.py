"""The report shows which winners share code."""

from pathlib import Path

from fmlbench.core.run import RunSpec
from fmlbench.core.task import Task
from fmlbench.records.folder import RunFolder
from fmlbench.records.replay import RunState
from fmlbench.reports.html.page import make_report, render
from fmlbench.reports.html.run_records import RunRecord, read_run
from fmlbench.reports.html.task_table import similarity_table
from fmlbench.tasks.library import find_task
from fmlbench.testing.made_runs import make_run


def read(folder: RunFolder) -> RunRecord:
    return read_run(folder, task_of)


def task_of(spec: RunSpec, state: RunState) -> Task:
    return state.task or find_task(spec.task).on(spec.track, smoke=spec.smoke).task


def test_winners_with_the_same_code_share_most_of_it(tmp_path: Path):
    one = make_run(tmp_path, agent="first", steps=1, skill=9.0)
    page = make_report(
        [read(one), read(make_run(tmp_path, agent="copy", steps=1, skill=9.0, like=one))], written="today"
    )
    sheet = page.groups[0].tasks[0].similarity
    assert sheet is not None
    assert sheet.columns == ("agent", "seed", "expert reference", "first", "copy")
    # References to the other's lines cost a few bytes, so it is less than 100% for a small change.
    assert [[bool(cell) and int(cell.rstrip("%")) > 80 for cell in row[3:]] for row in sheet.rows] == [
        [False, True],
        [True, False],
    ]
    assert "Similarity of winners" in render(page)


def test_winners_with_code_of_their_own_share_little(tmp_path: Path):
    sheet = similarity_table([read(make_run(tmp_path, agent=name, steps=4, skill=9.0)) for name in ("first", "second")])
    assert sheet is not None
    assert all(int(cell.rstrip("%")) < 50 for row in sheet.rows for cell in row[3:] if cell)


def test_agents_without_a_winner_are_left_out(tmp_path: Path):
    runs = [read(make_run(tmp_path, agent=agent, steps=3, skill=-9.0)) for agent in ("first", "second")]
    assert similarity_table(runs) is None
