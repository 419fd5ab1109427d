"""A small study of the toy task, a terminal to sweep it from, and how to tell whether two sweeps came to the same."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from fmlbench.records.folder import RunFolder
from fmlbench.sandbox.cgroups import groups_of
from tests.endurance.conftest import SCRIPT
from tests.endurance.records import essence, times_logged
from tests.terminal import START

STUDY = """
tasks = ["toy"]
agents = [{{ name = "scripted", settings = {{ script = "{script}" }} }}, "noop"]
seeds = {seeds}
retest = 1
budget = {{ steps = {steps} }}
retry = {{ failures = 5, pause_seconds = 0.1 }}
{more}
"""


class Bench:
    """A study, and a terminal to sweep it from into one folder or another."""

    def __init__(
        self, cache: Path, folder: Path, more: str = "", *, script: Sequence[Mapping[str, Any]] = SCRIPT, seeds: int = 2
    ) -> None:
        self.folder = folder
        self.study = folder / "study.toml"
        self._cache = cache
        written = folder / "script.json"
        written.write_text(json.dumps(script))
        self.study.write_text(STUDY.format(script=written, steps=len(script), seeds=seeds, more=more))

    def sweep(self, runs: str, *words: str) -> "subprocess.Popen[str]":
        settings = {**os.environ, "FMLBENCH_CACHE": str(self._cache), "FMLBENCH_RUNS": str(self.folder / runs)}
        command = [sys.executable, "-c", START, "sweep", *(words or ("start",)), str(self.study)]
        return subprocess.Popen(command, env=settings, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def ask(self, runs: str, *words: str) -> Any:
        out, err = self.sweep(runs, *words, "--json").communicate(timeout=600)
        assert out, err
        return json.loads(out)

    def runs(self, name: str) -> dict[str, RunFolder]:
        return {path.parent.name: RunFolder(path.parent) for path in sorted((self.folder / name).glob("*/run.json"))}


def players_in(folder: Path) -> Iterator[int]:
    """The processes that have a run of this folder on their command line."""
    for process in Path("/proc").glob("[0-9]*"):
        try:
            words = (process / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if b"resume" in words and any(word.startswith(os.fsencode(folder)) for word in words):
            yield int(process.name)


def assert_same(whole: dict[str, RunFolder], other: dict[str, RunFolder]) -> None:
    assert whole.keys() == other.keys()
    for name, folder in other.items():
        assert essence(folder) == essence(whole[name])
        assert set(times_logged(folder).values()) == {1}
        assert groups_of(name) == []
