"""Find what an interpreter needs to start, so that a sandbox can show it that and no more."""

import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from fmlbench.core.errors import EnvironmentBroken
from fmlbench.sandbox.protocol import TaskPython

_SHARED_PREFIXES = (Path("/usr"), Path("/usr/local"))
"""Installations that share their folders with everything else on the machine."""


def machine_python() -> TaskPython:
    """The interpreter that runs us, without the packages installed beside it."""
    executable = Path(getattr(sys, "_base_executable", None) or sys.executable).resolve()
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    return _task_python(executable, (), [executable.parent.parent, Path(sys.base_prefix)], version)


def python_in(venv: Path) -> TaskPython:
    """The interpreter of a virtual environment, with the packages of that environment only."""
    venv = venv.absolute()
    executable = venv / "bin" / "python"
    facts = _read_facts(venv / "pyvenv.cfg")
    version = re.match(r"\d+\.\d+", facts.get("version") or facts.get("version_info", ""))
    if version is None or "home" not in facts or not executable.exists():
        raise EnvironmentBroken(
            f"'{venv}' is not a virtual environment that works.", hint="Remove it and prepare again."
        )
    # An environment knows its base by the name it was made with, which may be a link to where that really is.
    prefixes = [Path(facts["home"]).parent, executable.resolve().parent.parent]
    return _task_python(executable, (venv,), prefixes, version[0])


def _task_python(executable: Path, folders: tuple[Path, ...], prefixes: Iterable[Path], version: str) -> TaskPython:
    base = [path for prefix in dict.fromkeys(prefixes) for path in _needed_in(prefix, version)]
    return TaskPython(
        executable=executable,
        folders=(*folders, *dict.fromkeys(base)),
        hidden=tuple(dict.fromkeys(packages for folder in base for packages in _packages_in(folder))),
    )


def _needed_in(prefix: Path, version: str) -> Iterator[Path]:
    """What of an installation is needed: its programs and libraries, but no shared data, no other environments."""
    if prefix not in _SHARED_PREFIXES:
        yield from (prefix / name for name in ("bin", "lib", "lib64") if (prefix / name).is_dir())
        return
    yield from sorted((prefix / "bin").glob(f"python{version}"))
    for libraries in (prefix / "lib", prefix / "lib64"):
        yield from sorted(libraries.glob(f"python{version}"))
        yield from sorted(libraries.glob(f"libpython{version}*.so*"))


def _packages_in(folder: Path) -> Iterator[Path]:
    for kind in ("site-packages", "dist-packages"):
        yield from sorted(folder.glob(kind))
        yield from sorted(folder.glob(f"python*/{kind}"))


def _read_facts(path: Path) -> dict[str, str]:
    try:
        lines = path.read_text("utf-8").splitlines()
    except OSError:
        return {}
    pairs = (line.split("=", 1) for line in lines if "=" in line)
    return {name.strip(): value.strip() for name, value in pairs}
