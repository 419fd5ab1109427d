"""The page on programs, followed word by word: its files are written, its commands are typed."""

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

PAGE = Path(__file__).parent.parent.parent / "docs" / "programs.md"
FILE = re.compile(r"^```python file=(?P<path>\S+)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^```sh\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.fixture
def home() -> Iterator[Path]:
    """A sandbox has a /tmp of its own, where nothing of ours is seen."""
    with tempfile.TemporaryDirectory(dir=Path.home()) as folder:
        yield Path(folder)


@pytest.mark.sandbox
@pytest.mark.timeout(600)
def test_a_program_of_one_s_own_takes_part(home: Path, cache: Path):
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    settings = {**os.environ, "PATH": path, "FMLBENCH_CACHE": str(cache), "FMLBENCH_RUNS": str(home / "runs")}
    page = PAGE.read_text("utf-8")
    for file in FILE.finditer(page):
        written = home / file["path"]
        written.parent.mkdir(parents=True)
        written.write_text(file["text"], "utf-8")
    (command,) = COMMAND.findall(page)
    typed = ["bash", "-euo", "pipefail", "-c", command]
    done = subprocess.run(typed, cwd=home, env=settings, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "train for 300 epochs" in done.stderr + done.stdout
    (log,) = (home / "runs").glob("*/agent/log.txt")
    assert len(re.findall(r"^accuracy: 0\.\d+", log.read_text(), re.MULTILINE)) == 2
