"""Packages of other people, installed for one test."""

import sys
from pathlib import Path

import pytest


def install_plugin(monkeypatch: pytest.MonkeyPatch, folder: Path, package: str, group: str, source: str) -> None:
    """Install a package with one module, whose variable PLUGIN is an entry point of a group."""
    (folder / f"{package}.py").write_text(source)
    info = folder / f"{package}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[{group}]\ntheirs = {package}:PLUGIN\n")
    monkeypatch.setattr(sys, "path", [str(folder), *sys.path])
