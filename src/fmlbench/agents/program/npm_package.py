"""Find or install a program that is an npm package, and list the folders that its sandbox must mount."""

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from fmlbench.agents.program.program import LAB
from fmlbench.core.errors import AgentFailed, BadRequest
from fmlbench.sandbox.protocol import Mount
from fmlbench.workspace.files import exclusive, replace_folder, scratch_beside

_PACKAGES = "node_modules"
_INSTALL_SECONDS = 900.0


@dataclass(frozen=True)
class NpmPackage:
    """A program in the npm registry, at the version that is known to work."""

    title: str
    name: str
    version: str
    program: str

    @property
    def folder(self) -> str:
        """The name of the folder it is installed in."""
        return f"{self.program}-{self.version}"


@dataclass(frozen=True)
class Found:
    """An installed program and its paths in the sandbox."""

    inside: str
    """Its path in the sandbox, quoted for a shell."""
    mounts: tuple[Mount, ...]
    path: tuple[str, ...]
    """Folders that the program needs on its PATH."""


def find_program(package: NpmPackage, given: str, folder: Path) -> Found:
    """The program that the user gave, or the one on the PATH, or else the pinned version, installed in ``folder``."""
    require_program(package, given, folder)
    there = given or shutil.which(package.program)
    return _as_seen(Path(there) if there else install(package, folder))


def require_program(package: NpmPackage, given: str, folder: Path) -> None:
    """Check that the program is installed or can be installed; starts nothing."""
    if given:
        if not Path(given).is_file():
            raise BadRequest(f"There is no program '{given}'.", hint="Set program= to the path of a file.")
        return
    is_there = shutil.which(package.program) or (folder / package.folder).exists()
    if not is_there and shutil.which("npm") is None:
        raise AgentFailed(
            f"{package.title} is not installed, and npm, which could install it, is missing.",
            hint=f"Install Node.js or {package.title}, or give its path with --set program=PATH.",
        )


def install(package: NpmPackage, folder: Path) -> Path:
    """Install the pinned version if it is missing; return the path of its program."""
    target = folder / package.folder
    with exclusive(target):
        if not target.exists():
            with scratch_beside(target) as scratch:
                _npm_install(package, scratch / "package")
                replace_folder(scratch / "package", target)
    return target / _PACKAGES / ".bin" / package.program


def _npm_install(package: NpmPackage, folder: Path) -> None:
    folder.mkdir()
    words = ["npm", "install", "--prefix", str(folder), "--no-audit", "--no-fund", f"{package.name}@{package.version}"]
    try:
        done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=_INSTALL_SECONDS)
        trouble = done.stderr.strip()[-300:] if done.returncode else ""
    except subprocess.TimeoutExpired:
        trouble = f"npm took more than {_INSTALL_SECONDS:.0f} s"
    if trouble:
        raise AgentFailed(
            f"{package.title} {package.version} could not be installed: {trouble}",
            hint="Check your network and npm's registry, or install it yourself and give --set program=PATH.",
        )


def _as_seen(program: Path) -> Found:
    """Mount the program's packages, or just the program, and Node.js."""
    real = program.resolve()
    packages = next((parent for parent in reversed(real.parents) if parent.name == _PACKAGES), None)
    top = packages or real
    inside = f"{LAB}/program/{top.name}"
    node = shutil.which("node")
    return Found(
        inside='"$FML_LAB"/' + "/".join(("program", top.name, *real.relative_to(top).parts)),
        mounts=(
            Mount(top, inside),
            *([Mount(Path(node).resolve(), f"{LAB}/node/node")] if node else []),
        ),
        path=("{lab}/node",) if node else (),
    )
