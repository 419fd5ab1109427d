"""Tasks of other packages."""

import sys
from collections.abc import Callable
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from fmlbench.core.errors import TaskInvalid
from fmlbench.tasks import library
from fmlbench.tasks.library import all_tasks, find_task, name_of
from fmlbench.tasks.template import start_task


@pytest.fixture
def bring(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[[str], None]:
    """Installs an entry point that names a package."""
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])

    def install(package: str) -> None:
        points = [EntryPoint(name="theirs", value=package, group=library.ENTRY_POINT_GROUP)]

        def installed(*, group: str) -> list[EntryPoint]:
            return [point for point in points if point.group == group]

        monkeypatch.setattr(library, "entry_points", installed)

    return install


@pytest.mark.parametrize("is_plain_folder", [False, True])
def test_tasks_of_other_packages_are_found_by_name(bring: Callable[[str], None], tmp_path: Path, is_plain_folder: bool):
    package = tmp_path / f"their_tasks_{is_plain_folder}"
    folder = start_task("bird-species", package)
    if not is_plain_folder:
        (package / "__init__.py").write_text("")
    bring(package.name)
    found = find_task("bird-species")
    assert (found.path, name_of(found)) == (folder, "bird-species")
    assert "bird-species" in [each.task.name for each in all_tasks()]


def test_a_package_cannot_replace_a_task_of_the_suite(bring: Callable[[str], None], tmp_path: Path):
    impostor = start_task("toy", tmp_path / "impostors")
    bring("impostors")
    assert find_task("toy").path != impostor
    assert name_of(find_task(str(impostor))) == str(impostor)


def test_a_missing_package_is_reported(bring: Callable[[str], None]):
    bring("no_such_package_of_tasks")
    with pytest.raises(TaskInvalid, match="no_such_package_of_tasks"):
        all_tasks()
