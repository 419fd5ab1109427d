"""The tutorials, followed word by word: their files are written, their commands are typed."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parent.parent.parent / "docs"
BLOCK = re.compile(r"^```(?P<kind>\w+)(?: file=(?P<file>\S+))?\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)

pytestmark = [pytest.mark.sandbox, pytest.mark.timeout(900)]


def follow(page: str, folder: Path, cache: Path) -> list[str]:
    """Do what a page says, in a folder; what each of its commands printed."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    settings = {**os.environ, "PATH": path, "FMLBENCH_CACHE": str(cache), "FMLBENCH_RUNS": str(folder / "runs")}
    said: list[str] = []
    for block in BLOCK.finditer((DOCS / page).read_text("utf-8")):
        if block["file"]:
            file = folder / block["file"]
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(block["text"], "utf-8")
        else:
            assert block["kind"] == "sh"
            typed = ["bash", "-euo", "pipefail", "-c", block["text"]]
            done = subprocess.run(typed, cwd=folder, env=settings, capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stdout + done.stderr
            said.append(done.stdout)
    return said


def test_a_repository_becomes_an_admitted_task(tmp_path: Path, cache: Path):
    *_, checked, searched, tried = follow("your-own-task.md", tmp_path, cache)
    assert "ok    practice: the baseline on practice questions: ok" in checked
    assert "bird-species is admitted." in checked
    assert "sealed test" in searched
    assert "0 of 0 gave a score" in tried
    (log,) = (tmp_path / "runs").glob("*/agent/log.txt")
    assert "practice: ok, score" in log.read_text()


def test_a_strategy_a_proposer_and_a_preset_of_ones_own(tmp_path: Path, cache: Path):
    strategy, proposer, preset = follow("agents.md", tmp_path, cache)
    for shown in ("passed", "after how many steps a climb is over", "of 4 gave a score"):
        assert shown in strategy
    assert "passed" in proposer
    (log,) = (tmp_path / "runs").glob("toy.cpu.rates.*/events.jsonl")
    assert "learning rate 0.3 -> " in log.read_text()
    assert "number of initial drafts" in preset
    assert "10" in preset
