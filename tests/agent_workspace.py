"""A place to work in for agents with a loop of their own, without a sandbox."""

import sys
from pathlib import Path

import pytest

from fmlbench.agents.entry import AgentWorkspace
from fmlbench.core.task import Editable
from fmlbench.sandbox.isolation import Unsealed
from fmlbench.sandbox.protocol import Mount, TaskPython


@pytest.fixture
def workspace(tmp_path: Path) -> AgentWorkspace:
    codebase, data, folder = (tmp_path / name for name in ("codebase", "pixels", "a folder"))
    for made in (codebase, data, folder):
        made.mkdir()
    (codebase / "research.py").write_text("rate = 0.5\n")
    return AgentWorkspace(
        run_id="run",
        folder=folder,
        codebase=codebase,
        editable=Editable(globs=("*.py",), suggested=("research.py",)),
        python=TaskPython(Path(sys.executable), ()),
        sandbox=Unsealed(),
        visible=(Mount(data, "data/pixels"),),
        programs=tmp_path / "programs",
        hours_left=lambda: 1.0,
    )
