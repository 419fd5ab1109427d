"""An ordinary user, without a word in matters of control groups, gets the same walls and limits as root.

Tests that say nothing about root, since nothing is locked for it, are run here, too.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import fmlbench
from tests.unprivileged_user import AS_UNPRIVILEGED

TESTS = Path(__file__).parents[1]
PYTHON = Path("/usr/bin/python3")
"""Anybody may run it; our own may lie in a home that is closed to others."""


def is_same_version(python: Path) -> bool:
    ask = "import sys; print(*sys.version_info[:2])"
    answer = subprocess.run([python, "-c", ask], capture_output=True, text=True, check=False).stdout
    return answer.split() == [str(part) for part in sys.version_info[:2]]


def is_open_to_others(path: Path) -> bool:
    return all(folder.stat().st_mode & 0o005 == 0o005 for folder in path.parents)


@pytest.mark.sandbox
@pytest.mark.skipif(os.getuid() != 0 or not shutil.which("setpriv"), reason="only root can become nobody, with setpriv")
@pytest.mark.skipif(not is_same_version(PYTHON), reason="the system has no Python of our version")
@pytest.mark.skipif(not is_open_to_others(Path(__file__)), reason="this checkout is closed to other users")
@pytest.mark.parametrize(
    "tests", ["contract/test_sandboxes.py::TestBubblewrapWithoutControlGroups", "unit/sandbox/test_storage.py"]
)
def test_the_same_holds_for_an_ordinary_user(home_of_nobody: Path, tests: str) -> None:
    pytest_options = ["-q", "--noconftest", "-p", "no:cacheprovider", f"--basetemp={home_of_nobody / 'tests'}"]
    dirs = [Path(module.__file__ or "").parents[1] for module in (fmlbench, pytest)]
    finished = subprocess.run(
        [*AS_UNPRIVILEGED, PYTHON, "-m", "pytest", *pytest_options, TESTS / tests],
        env={"PATH": "/usr/bin:/bin", "HOME": str(home_of_nobody), "PYTHONPATH": f"{dirs[0]}:{dirs[1]}"},
        cwd=TESTS.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    assert finished.returncode == 0, finished.stdout[-4000:] + finished.stderr[-1000:]
    assert "skipped" not in finished.stdout
