"""A job's storage is measured correctly even if the job tries to hide it."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from fmlbench.core.task import Limits
from fmlbench.sandbox.protocol import ExitKind, ExitReason
from fmlbench.sandbox.storage import Contents, Storage, Unmeasurable, measure, stored_bytes

LIMITS = Limits(cpu_seconds=1, wall_seconds=1, memory_mb=4, disk_mb=1, files=5, scratch_mb=1)


def check(folder: Path, scratch_bytes: int = 0, pids: tuple[int, ...] = ()) -> ExitReason | None:
    return Storage([folder], lambda: scratch_bytes, LIMITS).check(pids)


def test_files_and_folders_count_at_every_depth(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "b" / "c").write_bytes(bytes(10_000))
    assert measure([tmp_path], at_most_files=10) == Contents(bytes=12_288, files=3)


def test_a_sparse_file_counts_in_full(tmp_path: Path) -> None:
    with (tmp_path / "hole").open("wb") as file:
        file.truncate(10**12)
    assert measure([tmp_path], at_most_files=10).bytes == 10**12


def test_links_count_as_files_and_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "big").write_bytes(bytes(100_000))
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "folder").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "out" / "file").symlink_to(tmp_path / "elsewhere" / "big")
    (tmp_path / "out" / "loop").symlink_to(tmp_path / "out")
    assert measure([tmp_path / "out"], at_most_files=10) == Contents(bytes=0, files=3)


def test_counting_stops_soon_after_the_limit(tmp_path: Path) -> None:
    for n in range(100):
        (tmp_path / str(n)).touch()
    assert 10 < measure([tmp_path], at_most_files=10).files < 15


def test_folders_nested_too_deep_are_rejected(tmp_path: Path) -> None:
    tmp_path.joinpath(*("d" * 63)).mkdir(parents=True)
    measure([tmp_path], at_most_files=1000)
    tmp_path.joinpath(*("d" * 64)).mkdir(parents=True)
    with pytest.raises(Unmeasurable, match="64 deep"):
        measure([tmp_path], at_most_files=1000)


def test_paths_that_are_too_long_are_rejected(tmp_path: Path) -> None:
    tmp_path.joinpath(*["d" * 199] * 5).mkdir(parents=True)
    measure([tmp_path], at_most_files=1000)
    tmp_path.joinpath(*["d" * 199] * 5, "e" * 24).touch()
    with pytest.raises(Unmeasurable, match="1024 characters"):
        measure([tmp_path], at_most_files=1000)


@pytest.fixture
def locked(tmp_path: Path) -> Iterator[Path]:
    (tmp_path / "locked").mkdir(mode=0)
    yield tmp_path
    (tmp_path / "locked").chmod(0o700)


@pytest.mark.skipif(os.getuid() == 0, reason="nothing is locked for root")
def test_a_folder_without_permissions_is_rejected(locked: Path) -> None:
    assert check(locked) == ExitReason(
        ExitKind.TOO_MUCH_DISK, "removed the permissions of a folder, so that it cannot be measured"
    )


def test_a_single_writable_file_can_be_measured(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(bytes(1000))
    assert measure([tmp_path / "file"], at_most_files=0) == Contents(bytes=1000, files=0)


def test_within_the_limits_there_is_no_reason(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(bytes(2**20))
    assert check(tmp_path, scratch_bytes=2**20) is None


def test_each_limit_has_its_own_reason(tmp_path: Path) -> None:
    assert check(tmp_path, scratch_bytes=2**20 + 1) == ExitReason(
        ExitKind.TOO_MUCH_DISK, "used more than 1 MB of scratch space"
    )
    (tmp_path / "file").write_bytes(bytes(2**20 + 1))
    assert check(tmp_path) == ExitReason(ExitKind.TOO_MUCH_DISK, "left more than 1 MB in its writable folders")
    for n in range(5):
        (tmp_path / str(n)).touch()
    assert check(tmp_path) == ExitReason(ExitKind.TOO_MUCH_DISK, "left more than 5 files")


def test_a_deleted_open_file_counts(tmp_path: Path) -> None:
    with (tmp_path / "file").open("wb") as file:
        file.write(bytes(2 * 2**20))
        file.flush()
        os.fsync(file.fileno())
        (tmp_path / "file").unlink()
        assert check(tmp_path) is None
        assert check(tmp_path, pids=(os.getpid(),)) == ExitReason(
            ExitKind.TOO_MUCH_DISK, "left more than 1 MB in its writable folders"
        )


def test_a_memory_only_file_counts_as_memory(tmp_path: Path) -> None:
    file = os.memfd_create("ballast")
    try:
        os.write(file, bytes(6 * 2**20))
        assert check(tmp_path, pids=(os.getpid(),)) == ExitReason(
            ExitKind.OUT_OF_MEMORY, "used more than 4 MB of memory"
        )
    finally:
        os.close(file)


def test_names_count_as_stored_bytes(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "é").write_bytes(bytes(100))
    assert stored_bytes(tmp_path) == len("folder") + 2 + 100


def test_link_targets_count_as_stored_bytes(tmp_path: Path) -> None:
    (tmp_path / "here").symlink_to("/.//.")
    (tmp_path / "nowhere").symlink_to("secret")
    assert stored_bytes(tmp_path) == len("here/.//.nowheresecret")


def test_names_and_values_of_extended_attributes_count_as_stored_bytes(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    before = stored_bytes(tmp_path)
    try:
        for path in (tmp_path, tmp_path / "file"):
            os.setxattr(path, "user.note", bytes(500))
    except OSError:
        pytest.skip("no extended attributes in this file system")
    assert stored_bytes(tmp_path) == before + 2 * (len("user.note") + 500)
