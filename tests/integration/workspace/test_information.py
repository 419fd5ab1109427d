"""The measure counts every bit that a candidate can read."""

import subprocess
import sys
from pathlib import Path

from fmlbench.workspace import information


def test_the_module_works_alone():
    code = "import information; print(information.added_information({'a.py': 'x = 1'}, {}).bytes > 0)"
    folder = Path(information.__file__).parent
    done = subprocess.run([sys.executable, "-S", "-c", code], cwd=folder, capture_output=True, text=True, check=True)
    assert done.stdout == "True\n"
