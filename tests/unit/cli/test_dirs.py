"""Where things are kept, and where runs go."""

from pathlib import Path

import pytest

from fmlbench.cli.dirs import find_dirs


@pytest.fixture(autouse=True)
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    for name in ("FMLBENCH_CACHE", "FMLBENCH_RUNS", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_by_default_the_cache_is_the_users_and_runs_go_here(bare: Path):
    dirs = find_dirs()
    assert (dirs.cache, dirs.runs) == (bare / "home/.cache/fmlbench", bare / "runs")


def test_the_environment_names_other_folders(bare: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("FMLBENCH_CACHE", "~/kept")
    monkeypatch.setenv("FMLBENCH_RUNS", "other/runs")
    dirs = find_dirs()
    assert (dirs.cache, dirs.runs) == (bare / "home/kept", bare / "other/runs")


def test_the_users_cache_home_is_respected_unless_it_is_relative(bare: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(bare / "xdg"))
    assert find_dirs().cache == bare / "xdg/fmlbench"
    monkeypatch.setenv("XDG_CACHE_HOME", "xdg")
    assert find_dirs().cache == bare / "home/.cache/fmlbench"
