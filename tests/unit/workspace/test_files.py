import os
from pathlib import Path

import pytest

from fmlbench.core.errors import InfraTrouble
from fmlbench.workspace.files import disk_trouble_explained, remove_folder


def nest(folder: Path, depth: int) -> None:
    folder.mkdir()
    handle = os.open(folder, os.O_RDONLY)
    for _ in range(depth):
        os.mkdir("deeper", dir_fd=handle)
        below = os.open("deeper", os.O_RDONLY, dir_fd=handle)
        os.close(handle)
        handle = below
    os.close(os.open("file", os.O_CREAT | os.O_WRONLY, dir_fd=handle))
    os.close(handle)


def test_removes_folders_nested_deeper_than_the_recursion_limit(tmp_path: Path):
    nest(tmp_path / "deep", 5000)
    remove_folder(tmp_path / "deep")
    assert not (tmp_path / "deep").exists()


def test_removes_folders_without_permissions(tmp_path: Path):
    (tmp_path / "made" / "a" / "b").mkdir(parents=True)
    (tmp_path / "made" / "a" / "b" / "file").write_text("x")
    nest(tmp_path / "made" / "deep", 1500)
    (tmp_path / "made" / "a" / "b").chmod(0)
    (tmp_path / "made" / "a").chmod(0)
    remove_folder(tmp_path / "made")
    assert not (tmp_path / "made").exists()


def test_does_not_follow_links_out_of_the_folder(tmp_path: Path):
    (tmp_path / "precious").mkdir(mode=0o750)
    (tmp_path / "precious" / "file").write_text("x")
    nest(tmp_path / "made", 1500)
    (tmp_path / "made" / "link").symlink_to(tmp_path / "precious")
    remove_folder(tmp_path / "made")
    assert (tmp_path / "precious" / "file").read_text() == "x"
    assert (tmp_path / "precious").stat().st_mode & 0o777 == 0o750


def test_removing_a_missing_folder_does_nothing(tmp_path: Path):
    remove_folder(tmp_path / "nothing")


def test_a_full_disk_is_reported_with_a_hint(tmp_path: Path):
    with pytest.raises(InfraTrouble) as caught, disk_trouble_explained(tmp_path), Path("/dev/full").open("w") as full:
        full.write("x")
    assert caught.value.message == f"The disk is full: '{tmp_path}'."
    assert "Free some space" in caught.value.hint


def test_a_missing_permission_is_reported(tmp_path: Path):
    # Not even root can create a folder below a file of the kernel.
    with (
        pytest.raises(InfraTrouble, match="Not a directory: '/proc/version/folder'") as caught,
        disk_trouble_explained(tmp_path),
    ):
        Path("/proc/version/folder").mkdir()
    assert str(tmp_path) in caught.value.hint


def test_other_errors_are_left_alone(tmp_path: Path):
    with pytest.raises(FileNotFoundError), disk_trouble_explained(tmp_path):
        (tmp_path / "missing").read_bytes()
