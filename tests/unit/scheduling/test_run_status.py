"""What a sweep wants to know of a complete run is kept beside its logs, and is worth no more than they are."""

from pathlib import Path

import pytest

from fmlbench.core.evaluation import Evaluation, Outcome
from fmlbench.core.run import RetestKind, due_retests
from fmlbench.records.events import Retested, RunStarted
from fmlbench.records.folder import RunFolder
from fmlbench.scheduling.run_status import RunStatus, read_run_status
from tests.handwritten_runs import complete_run
from tests.handwritten_studies import log, planned, study


@pytest.fixture
def finished(tmp_path: Path) -> RunFolder:
    run = planned(study(seeds=1), tmp_path).runs[0]
    events = complete_run(run.spec)
    assert isinstance(events[0], RunStarted)
    task = run.task.model_copy(update={"sibling": ""})
    log(run, [events[0].model_copy(update={"task": task}), *events[1:]])
    return run.folder


def test_a_run_is_complete_when_its_transfer_and_its_starved_control_are_tested(tmp_path: Path):
    run = planned(study(seeds=1), tmp_path).runs[0]
    started, *others = complete_run(run.spec)
    assert isinstance(started, RunStarted)
    log(run, [started.model_copy(update={"task": run.task}), *others])
    assert not read_run_status(run.folder).is_complete
    ok = Evaluation(outcome=Outcome.OK, score=0.6)
    due = [key for key in due_retests(run.task, 3, winner=1) if key.kind is not RetestKind.FRESH]
    assert len(due) == 3 + 3 + 1
    log(run, [Retested(index=key.index, seed=key.seed, kind=key.kind, evaluation=ok) for key in due])
    assert read_run_status(run.folder).is_complete


def test_a_sweep_tells_the_improvement_that_reports_tell(finished: RunFolder):
    # Retests 0.66, 0.64, 0.68 against 0.50, 0.46, 0.48: (0.66 - 0.48) / (1 - 0.48).
    assert read_run_status(finished).improvement == pytest.approx(0.18 / 0.52)


@pytest.mark.parametrize("spoilt", [b"", b'{"sizes":[1,', b'{"sizes":[1,2],"is_complete":false}', b'{"of": "old"}'])
def test_a_glance_that_was_torn_or_does_not_fit_the_logs_is_read_off_them_again(finished: RunFolder, spoilt: bytes):
    whole = read_run_status(finished)
    finished.status.write_bytes(spoilt)
    assert read_run_status(finished) == whole
    assert RunStatus.model_validate_json(finished.status.read_bytes()) == whole


def test_a_glance_that_counts_another_kind_of_seconds_is_read_off_the_logs_again(finished: RunFolder):
    whole = read_run_status(finished)
    sizes = f"[{whole.sizes[0]},{whole.sizes[1]}]"
    finished.status.write_text(f'{{"sizes":{sizes},"is_complete":true,"seconds":1.0}}')
    assert read_run_status(finished) == whole
