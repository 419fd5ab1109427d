"""Stages with alone = true: none sees the output of another, and the exam sees all of it."""

from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from fmlbench.core.evaluation import Outcome
from fmlbench.core.task import ExamName, Training
from fmlbench.experiment.experiment import Experiment
from fmlbench.experiment.prepared_task import PreparedTask
from fmlbench.experiment.samples import make_sample
from fmlbench.workspace.trees import editable_files

LOOKS_AROUND = """
import pathlib, sys
carry = pathlib.Path(sys.argv[-1], "carry")
assert not list(carry.iterdir()), "found what another stage left"
(carry / "model").write_text("mine")
sys.exit(0)
"""


@pytest.mark.sandbox
@pytest.mark.parametrize(("alone", "outcome"), [(True, Outcome.OK), (False, Outcome.CRASHED)])
def test_a_stage_that_trains_alone_begins_with_an_empty_carry_folder(
    toy: PreparedTask, tmp_path: Path, alone: bool, outcome: Outcome
):
    files = editable_files(toy.codebase, toy.task.editable)
    files = dict.fromkeys(files, LOOKS_AROUND)
    prepared = with_stages(toy, "first", "second", alone=alone)
    sample = make_sample(toy, "step", 7, 0)
    experiment = Experiment(prepared=prepared, files=files, sample=sample, folder=tmp_path / "bench", label="alone")
    with closing(experiment):
        assert experiment.train(ExamName.VALIDATION).outcome is outcome
    left = {path.relative_to(tmp_path / "bench" / "carry").parts[0] for path in tmp_path.rglob("model")}
    assert left == ({"first", "second"} if alone else {"model"})


def with_stages(prepared: PreparedTask, *names: str, alone: bool) -> PreparedTask:
    track = prepared.track
    stages = tuple(Training(name=name, alone=alone, limits=track.training[0].limits) for name in names)
    tracks = {prepared.track_name: track.model_copy(update={"training": stages})}
    task = prepared.task.model_copy(update={"tracks": tracks})
    return replace(prepared, folder=replace(prepared.folder, task=task))


def test_the_digest_omits_alone_when_it_is_false(toy: PreparedTask):
    training = toy.track.training[0]
    assert "alone" not in training.model_dump()
    assert training.model_copy(update={"alone": True}).model_dump()["alone"] is True
