"""Find the folders that an interpreter needs to start, so that a sandbox mounts only these."""

import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from fmlbench.core.errors import EnvironmentBroken
from fmlbench.sandbox.protocol import TaskPython

_SHARED_PREFIXES = (Path("/usr"), Path("/usr/local"))
"""Prefixes that also contain other software."""


def machine_python() -> TaskPython:
    """The interpreter that runs the harness, without its installed packages."""
    executable = Path(getattr(sys, "_base_executable", None) or sys.executable).resolve()
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    return _task_python(executable, (), [executable.parent.parent, Path(sys.base_prefix)], version)


def python_in(venv: Path) -> TaskPython:
    """The interpreter of a virtual environment, with only the packages of that environment."""
    venv = venv.absolute()
    executable = venv / "bin" / "python"
    facts = _read_facts(venv / "pyvenv.cfg")
    version = re.match(r"\d+\.\d+", facts.get("version") or facts.get("version_info", ""))
    if version is None or "home" not in facts or not executable.exists():
        raise EnvironmentBroken(
            f"'{venv}' is not a working virtual environment.", hint="Remove it and prepare the task again."
        )
    # "home" is the path that the environment was created with, which may be a symbolic link.
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
    """The required parts of an installation: programs and libraries, but no shared data and no other environments."""
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
