"""Any editable files can be measured beside a task's variants."""

from collections.abc import Generator
from dataclasses import replace

import pytest

from fmlbench.core.progress import Silent
from fmlbench.engine.variants import Variants
from fmlbench.experiment.prepared_task import PreparedTask
from fmlbench.sandbox.fork_server import ForkServer
from fmlbench.workspace.dirs import Dirs


@pytest.fixture
def variants(toy: PreparedTask, dirs: Dirs) -> Generator[Variants]:
    with ForkServer() as server:
        yield Variants(replace(toy, sandbox=server), dirs, Silent())


def test_files_score_as_the_variant_that_they_are(variants: Variants):
    scores = variants.try_files("copy", variants.files_of("reference"), 1)
    assert not isinstance(scores, str)
    assert scores.test == variants.measure("reference", 1).test


def test_files_without_a_score_come_with_the_reason(variants: Variants):
    files = {**variants.files_of("baseline"), "tinylearn/training.py": "raise ValueError('wrong')\n"}
    reason = variants.try_files("broken", files, 1)
    assert isinstance(reason, str)
    assert reason.startswith("crashed: ")


def test_files_that_may_not_be_edited_are_rejected(variants: Variants):
    reason = variants.try_files("outside", {**variants.files_of("baseline"), "elsewhere.py": ""}, 1)
    assert isinstance(reason, str)
    assert reason.startswith("rejected: ")
