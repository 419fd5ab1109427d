"""Tasks of other packages."""

import sys
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from fmlbench.core.errors import TaskInvalid
from fmlbench.tasks import library
from fmlbench.tasks.library import find_task, name_of, task_folders
from fmlbench.tasks.starting import start_task


def announce(monkeypatch: pytest.MonkeyPatch, package: str) -> None:
    def installed(*, group: str) -> list[EntryPoint]:
        return [EntryPoint(name="more", value=package, group=group)]

    monkeypatch.setattr(library, "entry_points", installed)


def test_a_package_with_an_entry_point_brings_tasks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    package = tmp_path / "more_tasks"
    package.mkdir()
    (package / "__init__.py").touch()
    ours = find_task("toy").path
    for name in ("mine", "toy"):
        start_task(name, package)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    announce(monkeypatch, "more_tasks")
    assert find_task("mine").path == package / "mine"
    assert name_of(find_task("mine")) == "mine"
    assert task_folders()["toy"] == ours


def test_a_package_that_is_gone_is_named(monkeypatch: pytest.MonkeyPatch):
    announce(monkeypatch, "gone_tasks")
    with pytest.raises(TaskInvalid, match="'gone_tasks', and it cannot be imported"):
        task_folders()
