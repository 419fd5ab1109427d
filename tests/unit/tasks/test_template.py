from pathlib import Path

import pytest

from fmlbench.core.errors import BadRequest
from fmlbench.tasks.folder import read_task
from fmlbench.tasks.library import find_task
from fmlbench.tasks.template import start_task


def test_a_new_task_can_be_read_and_has_its_own_name(tmp_path: Path):
    folder = start_task("my-task", tmp_path)
    task = read_task(folder).task
    assert task.name == "my-task"
    assert task.suites == ()
    assert task.metric == find_task("toy").task.metric
    assert "my-task" in (folder / "README.md").read_text()


@pytest.mark.parametrize("name", ["My Task", "../elsewhere", "9lives", ""])
def test_an_invalid_name_is_rejected(tmp_path: Path, name: str):
    with pytest.raises(BadRequest, match="not a valid task name"):
        start_task(name, tmp_path / "here")
    assert list(tmp_path.iterdir()) == []


def test_an_existing_folder_is_not_changed(tmp_path: Path):
    (tmp_path / "mine").mkdir()
    with pytest.raises(BadRequest, match="already"):
        start_task("mine", tmp_path)
    assert list((tmp_path / "mine").iterdir()) == []
