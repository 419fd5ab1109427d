from pathlib import Path

import pytest

from fmlbench.core.errors import InfraTrouble
from fmlbench.workspace.disk import disk_trouble_explained


def test_a_full_disk_is_reported_with_a_hint(tmp_path: Path):
    with pytest.raises(InfraTrouble) as caught, disk_trouble_explained(tmp_path), Path("/dev/full").open("w") as full:
        full.write("x")
    assert caught.value.message == f"The disk is full: there is no space left in '{tmp_path}'."
    assert "Free some space" in caught.value.hint


def test_a_missing_permission_is_reported(tmp_path: Path):
    # Not even root can create a folder below a file of the kernel.
    with pytest.raises(InfraTrouble, match="cannot be used") as caught, disk_trouble_explained(tmp_path):
        Path("/proc/version/folder").mkdir()
    assert str(tmp_path) in caught.value.hint


def test_other_errors_are_left_alone(tmp_path: Path):
    with pytest.raises(FileNotFoundError), disk_trouble_explained(tmp_path):
        (tmp_path / "missing").read_bytes()
