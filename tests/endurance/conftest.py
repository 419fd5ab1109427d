"""A scripted run of the toy task with every kind of step, executed in a separate process."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from fmlbench.agents.registry import agent_spec
from fmlbench.core.run import Budget, Isolation, RunSpec
from fmlbench.engine.run import create
from fmlbench.experiment.prepared_task import PreparedTask
from fmlbench.records.folder import RunFolder
from fmlbench.workspace.dirs import Dirs

SCRIPT = [
    {
        "idea": "learn faster",
        "edits": [{"file": "tinylearn/model.py", "search": "learning_rate=0.3", "replace": "learning_rate=0.6"}],
    },
    {
        "idea": "crash",
        "operator": "improve",
        "parents": [1],
        "edits": [{"file": "tinylearn/model.py", "search": "targets = np.eye", "replace": "targets = np.eyes"}],
    },
    {"idea": "write outside of the repository", "files": {"../escape.py": "x = 1\n"}},
    {
        "idea": "squares",
        "operator": "improve",
        "parents": [1],
        "edits": [
            {
                "file": "tinylearn/features.py",
                "search": "np.hstack([standardised,",
                "replace": "np.hstack([standardised, standardised**2,",
            }
        ],
    },
]

Play = Callable[[RunFolder, int], "subprocess.Popen[bytes]"]


@pytest.fixture
def new_run(toy: PreparedTask, dirs: Dirs, tmp_path: Path) -> Callable[[str], RunFolder]:
    script = tmp_path / "script.json"
    script.write_text(json.dumps(SCRIPT))

    def create_run(runs: str) -> RunFolder:
        spec = RunSpec(
            task="toy",
            task_digest=toy.folder.digest,
            track="cpu",
            agent=agent_spec("scripted", {"script": str(script)}),
            seed=3,
            budget=Budget(steps=len(SCRIPT)),
            isolation=Isolation.BUBBLEWRAP,
            retest_seeds=1,
        )
        return create(spec, Dirs(cache=dirs.cache, runs=tmp_path / runs))

    return create_run


@pytest.fixture
def play(cache: Path) -> Play:
    """Start a process that executes a run; with a number, it is killed (SIGKILL) after that many events."""

    def start(folder: RunFolder, die_after: int = 0) -> "subprocess.Popen[bytes]":
        command = [sys.executable, "-m", "tests.endurance.player", str(cache), str(folder.path.parent)]
        return subprocess.Popen(
            [*command, folder.path.name, str(die_after)],
            cwd=Path(__file__).parent.parent.parent,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )

    return start
