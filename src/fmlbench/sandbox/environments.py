"""The Python environments of tasks: pinned, built once with venv and pip, mounted read-only.

environments/
  NAME-KEY/            a virtual environment; it cannot be moved, because its programs contain its path
  NAME-KEY/complete    written last: without it the build was interrupted
  NAME-KEY.log         the output of pip

A requirements file pins every package. A line ``# imports: torch, numpy`` names the modules that must be importable.
A sandbox mounts only the folders that an interpreter needs to start.
"""

import hashlib
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from fmlbench.core.errors import EnvironmentBroken, TaskInvalid
from fmlbench.core.progress import Progress
from fmlbench.core.task import Environment
from fmlbench.sandbox.protocol import TaskPython
from fmlbench.workspace.dirs import Dirs
from fmlbench.workspace.files import disk_trouble_explained, exclusive, remove_folder
from fmlbench.workspace.registries import find_pip

_INSTALLING = re.compile(r"\s*Installing collected packages")
_PACKAGE_LINE = re.compile(r"\s*(?:Collecting|Processing|Downloading|Using cached) (?P<what>.+?)(?: \(|$)")
"""The lines of pip that name the package in progress."""
_WITHOUT_USERS_PYTHON = ("env", "-u", "PYTHONPATH", "-u", "PYTHONHOME")
"""Packages in these folders would look installed to pip but be missing in the sandbox."""
_SHARED_PREFIXES = (Path("/usr"), Path("/usr/local"))
"""Prefixes that also contain other software."""


def build(environment: Environment, *, task_folder: Path, dirs: Dirs, progress: Progress) -> TaskPython:
    """Return the interpreter of an environment; built at the first call and cached."""
    requirements = _requirements_of(environment, task_folder)
    folder = dirs.environments / f"{environment.name}-{_key(requirements)}"
    if not _is_complete(folder):
        with disk_trouble_explained(dirs.environments), exclusive(folder):
            if not _is_complete(folder):
                _Build(environment.name, requirements, folder, progress).run()
    return python_in(folder)


def packages_of(environment: Environment, task_folder: Path) -> tuple[str, ...]:
    """The modules in its ``# imports:`` line; the build imports each of them."""
    return tuple(_imports_of(_requirements_of(environment, task_folder)))


def built_environments(dirs: Dirs) -> list[str]:
    """The names of the completely built environments."""
    return [path.name for path in sorted(dirs.environments.glob("[!.]*")) if _is_complete(path)]


@dataclass(frozen=True)
class _Build:
    """The build of one environment."""

    name: str
    requirements: Path
    folder: Path
    progress: Progress

    def run(self) -> None:
        """Build the environment; after a failure only the log is left."""
        remove_folder(self.folder)
        self.log.unlink(missing_ok=True)
        try:
            self._build()
        except BaseException:
            remove_folder(self.folder)
            raise
        (self.folder / "complete").write_text(self.requirements.read_text("utf-8"), "utf-8")

    @property
    def log(self) -> Path:
        return self.folder.with_name(f"{self.folder.name}.log")

    def _build(self) -> None:
        python = str(self.folder / "bin" / "python")
        # Our pip installs into it from outside, so that the environment contains only what the task needs.
        self._run("creating it", [sys.executable, "-I", "-m", "venv", "--without-pip", str(self.folder)])
        pip = [*find_pip(), "--python", python, "install", "--no-input", "--disable-pip-version-check"]
        # No --no-deps: builds of a package for other hardware have further dependencies.
        wanted = ["--progress-bar", "off", "--requirement", str(self.requirements)]
        self._run("installing", [*pip, *wanted])
        for module in _imports_of(self.requirements):
            self._run(f"importing {module}", [python, "-I", "-c", f"import {module}"])

    def _run(self, doing: str, command: Sequence[str]) -> None:
        """Run one command, report its progress, and log its output."""
        self._report(doing)
        try:
            with (
                self.log.open("a", encoding="utf-8") as log,
                subprocess.Popen(
                    [*_WITHOUT_USERS_PYTHON, *command],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                    encoding="utf-8",
                    errors="replace",
                ) as process,
            ):
                for line in process.stdout or ():
                    log.write(line)
                    if package := _PACKAGE_LINE.match(line):
                        self.progress.finish()
                        self._report(_package_in(package["what"]))
                    elif _INSTALLING.match(line):
                        self.progress.finish()
                        self._report("unpacking and compiling all packages")
        finally:
            self.progress.finish()
        if process.returncode != 0:
            raise self._broken(doing)

    def _report(self, doing: str) -> None:
        self.progress.start(f"Environment {self.name}: {doing}")

    def _broken(self, doing: str) -> EnvironmentBroken:
        output = self.log.read_text("utf-8")
        return EnvironmentBroken(
            f"The environment '{self.name}' could not be built; {doing} failed: {_error_lines(output)}",
            hint=f"Fix the cause and try again; the full output is in {self.log}.",
        )


def _requirements_of(environment: Environment, task_folder: Path) -> Path:
    if environment.requirements:
        requirements = task_folder / environment.requirements
    else:
        requirements = Path(str(resources.files("fmlbench.suite"))) / "environments" / f"{environment.name}.txt"
    if not requirements.is_file():
        shared = sorted(path.stem for path in requirements.parent.glob("*.txt"))
        raise TaskInvalid(
            f"The environment '{environment.name}' has no requirements file: {requirements} is missing.",
            hint=f"Existing environments: {', '.join(shared) or 'none'}.",
        )
    return requirements


def _key(requirements: Path) -> str:
    """A hash of the requirements without comments and of the Python version."""
    lines = (re.sub(r"(^|\s)#.*", "", line).strip() for line in requirements.read_text("utf-8").splitlines())
    facts = [sys.version, *sorted(filter(None, lines))]
    return hashlib.sha256("\n".join(facts).encode()).hexdigest()[:12]


def _is_complete(folder: Path) -> bool:
    """Whether the build finished and the base Python still exists."""
    return (folder / "complete").is_file() and (folder / "bin" / "python").exists()


def _imports_of(requirements: Path) -> list[str]:
    named = re.search(r"^# imports: (.+)$", requirements.read_text("utf-8"), re.MULTILINE)
    return [name.strip() for name in named[1].split(",")] if named else []


def _package_in(text: str) -> str:
    """The name and version in ``numpy==2.4.6`` or ``some/folder/numpy-2.4.6-cp311-cp311-linux_x86_64.whl``."""
    return "-".join(Path(text).name.split("-")[:2])


def _error_lines(output: str) -> str:
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    errors = [line.removeprefix("ERROR: ") for line in lines if line.startswith("ERROR: ")]
    return " ".join((errors or lines)[-3:])[-600:]


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
