"""The tutorial, followed word by word: its files are written, its commands are typed."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

TUTORIAL = Path(__file__).parent.parent.parent / "docs" / "your-own-task.md"
BLOCK = re.compile(r"^```(?P<kind>\w+)(?: file=(?P<file>\S+))?\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.mark.sandbox
@pytest.mark.timeout(900)
def test_a_repository_becomes_an_admitted_task(tmp_path: Path, cache: Path):
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    settings = {**os.environ, "PATH": path, "FMLBENCH_CACHE": str(cache), "FMLBENCH_RUNS": str(tmp_path / "runs")}
    said: list[str] = []
    for block in BLOCK.finditer(TUTORIAL.read_text("utf-8")):
        if block["file"]:
            file = tmp_path / block["file"]
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(block["text"], "utf-8")
        else:
            assert block["kind"] == "sh"
            typed = ["bash", "-euo", "pipefail", "-c", block["text"]]
            done = subprocess.run(typed, cwd=tmp_path, env=settings, capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stdout + done.stderr
            said.append(done.stdout)
    assert "bird-species is admitted." in said[-2]
    assert "sealed test" in said[-1]
