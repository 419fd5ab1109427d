"""What a sweep wants to know of a complete run is kept beside its logs, and is worth no more than they are."""

import threading
from pathlib import Path

import pytest

from fmlbench.records.events import RunStarted
from fmlbench.records.folder import RunFolder
from fmlbench.scheduling.job import run_job
from fmlbench.scheduling.run_status import RunStatus, read_run_status
from tests.handwritten_runs import complete_run
from tests.handwritten_studies import log, planned, study
from tests.integration.scheduling.test_job import runner


@pytest.fixture
def finished(tmp_path: Path) -> RunFolder:
    run = planned(study(seeds=1), tmp_path).runs[0]
    events = complete_run(run.spec)
    assert isinstance(events[0], RunStarted)
    task = run.task.model_copy(update={"sibling": ""})
    log(run, [events[0].model_copy(update={"task": task}), *events[1:]])
    return run.folder


def test_a_job_leaves_a_glance_of_the_run_it_completed(finished: RunFolder, tmp_path: Path):
    run_job(finished, runner(tmp_path, "exit 0"), threading.Event())
    kept = RunStatus.model_validate_json(finished.status.read_bytes())
    assert kept.is_complete
    assert kept == read_run_status(finished)
    assert (kept.steps, kept.done, kept.outcomes) == (2, 3 + 2 + 6 + 1, {"ok": 1, "crashed": 1})
