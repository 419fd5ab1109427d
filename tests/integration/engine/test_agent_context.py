from pathlib import Path

import pytest

from fmlbench.core.evaluation import Outcome
from fmlbench.core.notes import UsageRecorded, WaitRecorded
from fmlbench.core.progress import Silent
from fmlbench.core.usage import Usage
from fmlbench.engine.agent_context import agent_context_of
from fmlbench.engine.preparation import prepare
from fmlbench.experiment.prepared_task import PreparedTask
from fmlbench.sandbox.protocol import Sandbox
from fmlbench.tasks.folder import read_task
from fmlbench.tasks.template import start_task
from fmlbench.workspace.dirs import Dirs
from fmlbench.workspace.trees import editable_files
from tests.integration.engine.sessions import open_session

pytestmark = pytest.mark.sandbox

RULE = """
[[rules]]
metric = "accuracy"
text = "Be nearly as accurate as the baseline."
at_least = -0.1
relative_to_baseline = true
"""


def test_practice_applies_the_rules_of_the_task(tmp_path: Path, dirs: Dirs, sandbox: Sandbox):
    task = start_task("ruled", tmp_path)
    manifest = task / "task.toml"
    manifest.write_text(manifest.read_text().replace("[reference]", f"{RULE}\n[reference]"))
    ruled = prepare(read_task(task), "cpu", dirs=dirs, sandbox=sandbox, progress=Silent())
    untouched = editable_files(ruled.codebase, ruled.task.editable)
    with open_session(ruled, dirs) as session:
        practice = agent_context_of(session, dirs, is_program=True).require_workspace().practice
        assert practice is not None
        broken = practice({**untouched, **ruled.folder.files_of(ruled.task.method_off, untouched)})
        kept = practice(untouched)
    assert (kept.outcome, broken.outcome) == (Outcome.OK, Outcome.INVALID)
    assert "Be nearly as accurate as the baseline." in broken.reason
    assert list(session.folder.experiments.iterdir()) == []


def test_usage_outside_of_steps_counts_against_the_hours(toy: PreparedTask, dirs: Dirs):
    """Time without a response of the model is not counted, except the program's own CPU time."""
    with open_session(toy, dirs) as session:
        workspace = agent_context_of(session, dirs, is_program=True).require_workspace()
        hours = [workspace.hours_left()]
        spent, waits = UsageRecorded(step=0, usage=Usage(seconds=3600.0)), (10.0, 1860.0, 9000.0)
        waited = [WaitRecorded(step=0, usage=Usage(seconds=3600.0, cpu_seconds=cpu)) for cpu in waits]
        for note in (spent, *waited, spent):
            session.note(note)
            hours.append(workspace.hours_left())
    assert [round(hours[0] - left, 6) for left in hours] == [0.0, 1.0, 1.0, 1.5, 2.5, 3.5]
