import base64
import hashlib
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from fmlbench.core.run import Isolation, RunSpec
from fmlbench.core.task import Task
from fmlbench.records.folder import RunFolder
from fmlbench.records.replay import RunState
from fmlbench.reports.html.page import make_report, render
from fmlbench.reports.html.run_records import RunRecord, read_run
from fmlbench.reports.html.step_view import step_details, to_script_data
from fmlbench.reports.untrusted import head_of, tail_of, to_script_json
from fmlbench.tasks.library import find_task
from fmlbench.testing.made_runs import make_run

HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(2)>\u202e{{ 7 * 7 }}\x1b[31m"


def read(folder: RunFolder) -> RunRecord:
    return read_run(folder, task_of)


def task_of(spec: RunSpec, state: RunState) -> Task:
    return state.task or find_task(spec.task).on(spec.track, smoke=spec.smoke).task


def page_of(*folders: RunFolder) -> str:
    return render(make_report([read(folder) for folder in folders], written="today"))


def details_in(page: str, run: str = "r0") -> list[dict[str, object]]:
    found = re.search(rf'<script type="application/json" id="{run}-data">(.*?)</script>', page, re.DOTALL)
    assert found
    return json.loads(found[1])


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    return make_run(tmp_path_factory.mktemp("runs"), steps=8, ideas=[HOSTILE])


def test_the_page_holds_all_it_needs(run: RunFolder):
    page = re.sub(r"<script>.*?</script>", "", page_of(run), flags=re.DOTALL)
    links = re.findall(r'(?:href|src|action)="([^"]*)"', page)
    assert links
    assert all(link == "data:," or re.fullmatch(r"#[a-z0-9.]+", link) for link in links)
    assert "url(" not in page
    assert "@import" not in page


def test_the_policy_allows_the_pages_own_style_and_script_and_nothing_else(run: RunFolder):
    page = page_of(run)
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)
    assert policy
    assert policy[1].startswith("default-src 'none'")
    assert "unsafe" not in policy[1]
    for name in ("style", "script"):
        text = re.findall(rf"<{name}>(.*?)</{name}>", page, re.DOTALL)
        assert len(text) == 1
        assert base64.b64encode(hashlib.sha256(text[0].encode()).digest()).decode() in policy[1]


def test_what_agents_write_is_text(run: RunFolder):
    page = page_of(run)
    assert "<script>alert" not in page
    assert "<img" not in page
    assert "{{ 7 * 7 }}" in page
    assert "\u202e" not in page
    assert "\x1b" not in page


def test_a_click_tells_idea_facts_and_diff(run: RunFolder):
    baseline, first, *_ = details_in(page_of(run))
    assert baseline["diff_note"] == "The baseline has no diff."
    assert first["idea"] == "</script><script>alert(1)</script><img src=x onerror=alert(2)>{{ 7 * 7 }}"
    assert str(first["diff"]).startswith("diff --git a/model/layers.py b/model/layers.py")
    assert first["parents"] == [0]


def test_every_step_is_in_the_list_and_on_the_plot(run: RunFolder):
    page = page_of(run)
    listed = re.findall(r'<li><a href="#(r0\.s\d+)" class="step', page)
    assert listed == [f"r0.s{index}" for index in range(9)]
    assert all(f'<a href="#{target}" tabindex="-1">' in page for target in listed)


def test_hidden_scores_stay_hidden_while_a_run_goes_on(run: RunFolder, tmp_path: Path):
    folder = make_run(tmp_path, like=run)
    over = page_of(folder)
    assert "mark test" in over
    assert "hidden test" in json.dumps(details_in(over))
    lines = folder.events.read_text("utf-8").splitlines(keepends=True)
    folder.events.write_text("".join(line for line in lines if "run-finished" not in line), "utf-8")
    going_on = page_of(folder)
    assert "mark test" not in going_on
    assert "hidden test" not in json.dumps(details_in(going_on))
    assert "gain on the sealed test" not in going_on


def test_only_a_page_that_can_still_change_loads_itself_again(run: RunFolder, tmp_path: Path):
    complete, growing = make_run(tmp_path, like=run), make_run(tmp_path, seed=1, is_over=False, like=run)
    pages = [render(make_report([read(folder)], written="today", refresh_seconds=5)) for folder in (complete, growing)]
    assert ['data-refresh="5"' in page for page in pages] == [False, True]


def test_a_run_that_has_not_begun_has_a_page(run: RunFolder, tmp_path: Path):
    folder = make_run(tmp_path, is_over=False, like=run)
    folder.events.unlink()
    assert "not started" in page_of(folder)


def test_missing_snapshots_are_told(run: RunFolder, tmp_path: Path):
    folder = make_run(tmp_path, like=run)
    folder.code.unlink()
    assert "The snapshots of this run are missing" in str(details_in(page_of(folder))[1]["diff_note"])


def test_sealed_and_unsealed_runs_are_in_leagues_of_their_own(run: RunFolder, tmp_path: Path):
    sealed = [make_run(tmp_path, seed=seed, like=run) for seed in range(2)]
    unsealed = [make_run(tmp_path, seed=seed, isolation=Isolation.NONE, like=run) for seed in range(2)]
    report = make_report([read(folder) for folder in (*sealed, *unsealed)], written="today")
    assert [(group.is_sealed, len(group.tasks[0].lines)) for group in report.groups] == [(True, 2), (False, 2)]
    page = render(report)
    assert page.count("UNSEALED") >= 4
    assert "gain on the test, UNSEALED" in page


def test_agents_that_cannot_be_compared_get_no_leaderboard_but_a_reason(run: RunFolder, tmp_path: Path):
    runs = [make_run(tmp_path, agent="one", seed=0, like=run), make_run(tmp_path, agent="other", seed=1, like=run)]
    report = make_report([read(folder) for folder in runs], written="today")
    assert report.groups[0].board is None
    assert "have no task and seed in common" in report.groups[0].refusal
    assert "No leaderboard" in render(report)


def test_the_leaderboard_draws_every_agent_with_its_tie_groups(run: RunFolder, tmp_path: Path):
    runs = [make_run(tmp_path, agent=agent, seed=seed, like=run) for agent in ("one", "other") for seed in range(3)]
    board = make_report([read(folder) for folder in runs], written="today").groups[0].board
    assert board
    assert len(board.strips) == len(board.sheet.rows) == 2
    assert board.groups == ["tie group 1: " + ", ".join(row[0] for row in board.sheet.rows)]
    assert board.verdicts[0][0] == "one vs other: undecided"


def test_a_run_that_ended_early_says_why(run: RunFolder, tmp_path: Path):
    folder = make_run(tmp_path, like=run)
    lines = folder.events.read_text("utf-8").splitlines(keepends=True)
    (end,) = [place for place, line in enumerate(lines) if "run-finished" in line]
    ended = lines[end].replace("the budget is spent", "its model <b>stopped</b> answering")
    cut = [line for line in lines if not re.search(r'"index":\s*8\b|"step-started"|"proposal-made"', line)]
    folder.events.write_text("".join(line for line in cut if "run-finished" not in line) + ended, "utf-8")
    record = read(folder)
    assert record.summary.proposed < record.spec.budget.steps
    page = render(make_report([record], written="today"))
    assert "have a score; its model &lt;b&gt;stopped&lt;/b&gt; answering" in page
    assert "<dt>end of search</dt>" in page


def test_one_agent_with_two_models_is_two_agents(run: RunFolder, tmp_path: Path):
    folders = [make_run(tmp_path, seed=seed, like=run, model=model) for model in ("a/x", "b/y") for seed in range(2)]
    report = make_report([read(folder) for folder in folders], written="today")
    assert report.title == "2 agents, 1 task, 4 runs"
    board = report.groups[0].board
    assert board
    assert sorted(row[0] for row in board.sheet.rows) == ["greedy-x", "greedy-y"]
    assert [line.agent for line in report.groups[0].tasks[0].lines] == ["greedy-x", "greedy-x", "greedy-y", "greedy-y"]
    assert ("model", "a/x, prompts of the agent program") in report.runs[0].provenance


def test_every_task_has_the_means_of_its_agents(run: RunFolder, tmp_path: Path):
    runs = [make_run(tmp_path, agent=agent, seed=seed, like=run) for agent in ("one", "other") for seed in range(3)]
    report = make_report([read(folder) for folder in runs], written="today")
    rounds = report.groups[0].tasks[0].rounds
    assert rounds
    assert [(row[0], row[1]) for row in rounds.rows] == [("one", "3"), ("other", "3")]
    assert all(re.fullmatch(r"[\d.]+ \[[\d.]+, [\d.]+\], n = 3", row[2]) for row in rounds.rows)
    assert "step completion rate (share)" in render(report)


def test_correlations_say_what_they_rest_on(run: RunFolder, tmp_path: Path):
    runs = [make_run(tmp_path, seed=seed, skill=seed / 3, like=run) for seed in range(6)]
    table = make_report([read(folder) for folder in runs], written="today").groups[0].correlations
    assert table
    assert table.tasks == ["toy"]
    cell = dict(table.rows)["auc"][0]
    assert cell
    assert "n = 6, p = " in cell.remark


def test_endless_texts_are_cut_to_the_room_there_is(run: RunFolder):
    endless = replace(read(run), diffs=["+<漢\n" * 100_000] * 9)
    details = step_details(endless, room=90_000)
    assert len(to_script_data(details).encode()) < 90_000
    assert details[1].diff.endswith("+<漢")
    assert re.fullmatch(r"9\d{4} more lines: fmlbench show toy\.[^ ]+ --diff 1", details[1].diff_note)


@pytest.mark.parametrize("text", ["plain" * 40, "<>&" * 60, "漢字" * 50, '"\\\n' * 40])
def test_beginnings_and_ends_fit_their_room(text: str):
    for cut in (head_of(text, 100), tail_of(text, 100)):
        assert 12 <= len(to_script_json(cut).encode()) <= 102
    assert text.startswith(head_of(text, 100))
    assert text.endswith(tail_of(text, 100))
    assert head_of(text, 10_000) == tail_of(text, 10_000) == text
