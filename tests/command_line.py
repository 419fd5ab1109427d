"""The command line, called as a user calls it but within this process."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from fmlbench.cli.app import run_cli


@dataclass(frozen=True)
class Called:
    """What a command left behind."""

    code: int
    out: str
    err: str


Fmlbench = Callable[..., Called]


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    return tmp_path / "runs"


@pytest.fixture
def fmlbench(runs: Path, cache: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Fmlbench:
    monkeypatch.setenv("FMLBENCH_RUNS", str(runs))
    monkeypatch.setenv("FMLBENCH_CACHE", str(cache))
    monkeypatch.delenv("COLUMNS", raising=False)

    def call(*words: str) -> Called:
        capsys.readouterr()
        code = run_cli(words)
        captured = capsys.readouterr()
        return Called(code, captured.out, captured.err)

    return call
