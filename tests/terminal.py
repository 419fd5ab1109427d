"""A terminal with folders of its own, in which commands are typed as users type them."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

START = "from fmlbench.cli.app import main; main()"


class Terminal:
    """Types commands with folders of its own."""

    def __init__(self, cache: Path, runs: Path, **settings: str) -> None:
        self.runs = runs
        self.settings = {**os.environ, "FMLBENCH_CACHE": str(cache), "FMLBENCH_RUNS": str(runs), **settings}

    def type(self, *words: str, code: int = 0) -> "subprocess.CompletedProcess[str]":
        done = run([sys.executable, "-c", START, *words], self.settings)
        assert done.returncode == code, done.stderr
        return done

    def ask(self, *words: str) -> Any:
        return json.loads(self.type(*words, "--json").stdout)


def run(command: Sequence[str], settings: Mapping[str, str]) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(command, env=dict(settings), capture_output=True, text=True, check=False, timeout=500)
