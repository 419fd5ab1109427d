"""Writing reports."""

import json
from pathlib import Path

import pytest

from fmlbench.cli import report
from fmlbench.records.folder import RunFolder
from fmlbench.testing.made_runs import make_run
from tests.command_line import Fmlbench


def test_a_report_is_written_and_its_place_is_told(fmlbench: Fmlbench, runs: Path, tmp_path: Path):
    make_run(runs, steps=2)
    output = tmp_path / "my report.html"
    called = fmlbench("report", "toy.*", "-o", str(output))
    assert (called.code, called.out) == (0, f"Report: {output}\n")
    page = output.read_text("utf-8")
    assert page.startswith("<!doctype html>")
    assert "embedded by offline-" in page
    assert list(tmp_path.glob(".*")) == []


def test_without_an_embedder_there_is_no_map(fmlbench: Fmlbench, runs: Path, tmp_path: Path):
    make_run(runs, steps=1)
    assert fmlbench("report", str(runs), "--embedder", "none", "-o", str(tmp_path / "report.html")).code == 0
    assert "Exploration map" not in (tmp_path / "report.html").read_text("utf-8")


def test_a_file_that_cannot_be_written_is_an_error_with_a_hint(fmlbench: Fmlbench, runs: Path, tmp_path: Path):
    make_run(runs, steps=1)
    called = fmlbench("report", "toy.*", "-o", str(tmp_path / "nowhere" / "report.html"))
    assert called.code == 2
    assert "The report cannot be written: No such file or directory" in called.err


def test_a_watched_report_is_written_again_until_all_runs_are_complete(
    fmlbench: Fmlbench, runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    output = tmp_path / "report.html"
    folder = make_run(runs, steps=2)
    whole = folder.events.read_text("utf-8")
    folder.events.write_text("".join(whole.splitlines(keepends=True)[:4]), "utf-8")
    seen: list[str] = []

    def go_on(seconds: float) -> None:
        seen.append(output.read_text("utf-8"))
        if len(seen) == 2:
            folder.events.write_text(whole, "utf-8")

    monkeypatch.setattr(report.time, "sleep", go_on)
    assert fmlbench("report", "toy.*", "--watch", "-o", str(output)).code == 0
    assert [_refreshes(page) for page in (*seen, output.read_text("utf-8"))] == [True, True, False]


@pytest.mark.sandbox
def test_bench_writes_a_report_and_keeps_json_clean(fmlbench: Fmlbench, runs: Path):
    called = fmlbench("bench", "--suite", "test", "--agent", "noop", "--steps", "1", "--retest", "0", "--json")
    assert called.code == 0
    assert len(json.loads(called.out)) == 1
    assert f"Report: {runs / 'report.html'}" in called.err
    assert RunFolder(next(runs.glob("toy.*"))).path.name in (runs / "report.html").read_text("utf-8")


def _refreshes(page: str) -> bool:
    return "data-refresh=" in page
