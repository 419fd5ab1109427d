"""An interpreter is mounted with what it needs, without the machine's packages."""

import sys
from pathlib import Path

import pytest

from fmlbench.core.errors import EnvironmentBroken
from fmlbench.sandbox import environments
from fmlbench.sandbox.environments import machine_python, python_in


def make_base(prefix: Path, version: str = "3.11") -> Path:
    """An installation with packages, next to unrelated data."""
    for folder in (
        f"lib/python{version}/site-packages/sklearn",
        "share/data",
        "envs/other/lib",
        "lib/python3.9/site-packages",
    ):
        (prefix / folder).mkdir(parents=True)
    (prefix / "bin").mkdir()
    (prefix / "bin" / f"python{version}").touch()
    (prefix / "lib" / f"libpython{version}.so.1.0").touch()
    return prefix


def make_venv(folder: Path, base: Path, facts: str = "version = 3.11.7") -> Path:
    (folder / "bin").mkdir(parents=True)
    (folder / "lib/python3.11/site-packages").mkdir(parents=True)
    (folder / "bin" / "python").symlink_to(base / "bin" / "python3.11")
    (folder / "pyvenv.cfg").write_text(f"home = {base / 'bin'}\n{facts}\n")
    return folder


def test_an_environment_needs_its_base_without_the_packages_of_the_base(tmp_path: Path) -> None:
    base = make_base(tmp_path / "python")
    python = python_in(make_venv(tmp_path / "my env", base))
    assert python.executable == tmp_path / "my env" / "bin" / "python"
    assert python.folders == (tmp_path / "my env", base / "bin", base / "lib")
    assert python.hidden == (base / "lib/python3.11/site-packages", base / "lib/python3.9/site-packages")


def test_a_linked_base_is_mounted_at_both_paths(tmp_path: Path) -> None:
    base = make_base(tmp_path / "python-3.11.7")
    (tmp_path / "python").symlink_to(base)
    python = python_in(make_venv(tmp_path / "env", tmp_path / "python", facts="version_info = 3.11.7"))
    assert set(python.folders) >= {tmp_path / "python" / "lib", base / "lib"}


def test_only_python_folders_of_a_system_prefix_are_mounted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    base = make_base(tmp_path / "usr")
    (base / "lib" / "R" / "datasets").mkdir(parents=True)
    monkeypatch.setattr(environments, "_SHARED_PREFIXES", (base,))
    python = python_in(make_venv(tmp_path / "env", base))
    assert python.folders[1:] == (base / "bin/python3.11", base / "lib/python3.11", base / "lib/libpython3.11.so.1.0")
    assert python.hidden == (base / "lib/python3.11/site-packages",)


def test_a_folder_without_an_environment_is_rejected(tmp_path: Path) -> None:
    for broken in (tmp_path, make_venv(tmp_path / "env", tmp_path / "gone")):
        with pytest.raises(EnvironmentBroken) as caught:
            python_in(broken)
        assert "prepare the task again" in caught.value.hint


def test_the_machine_python_is_the_current_interpreter() -> None:
    python = machine_python()
    assert python.executable.name.startswith("python")
    assert any(f"python{sys.version_info.major}" in path.name or path.name == "lib" for path in python.folders)
    assert all(path.name in {"site-packages", "dist-packages"} for path in python.hidden)
