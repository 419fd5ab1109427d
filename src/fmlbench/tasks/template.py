"""Create a new task: a copy of the toy task under another name, to be changed step by step.

A working task that can be checked after every change is easier to get right than an empty form.
"""

import re
import shutil
from importlib import resources
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from fmlbench.core.errors import BadRequest
from fmlbench.core.task import TaskName

_README = """\
# {name}

A copy of fmlbench's toy task. Replace its parts one by one and run `fmlbench tasks check` after each change; the
tutorial, docs/your-own-task.md, shows the order. Then describe here:

- **Codebase**: name, source, licence and patches.
- **Data**: name, source, licence and splits.
- **Baseline, ablation, expert reference**: what they do, and the sources of the methods.
- **Exploits**: known tricks for this problem, and how much they gain.
- **Noise and cost**: measurements, with date and machine.
"""


def start_task(name: str, where: Path) -> Path:
    """Create the folder ``where/name`` with a task that passes all checks; return it."""
    try:
        TypeAdapter(TaskName).validate_python(name)
    except ValidationError as error:
        raise BadRequest(
            f"'{name}' is not a valid task name.", hint="Use lower case, digits and hyphens, such as my-task."
        ) from error
    folder = where / name
    if folder.exists():
        raise BadRequest(f"{folder} already exists.", hint="Choose another name, or another folder with --in.")
    toy = Path(str(resources.files("fmlbench.suite") / "toy"))
    shutil.copytree(toy, folder, ignore=shutil.ignore_patterns("__pycache__"))
    manifest = folder / "task.toml"
    manifest.write_text(_renamed(manifest.read_text("utf-8"), name), "utf-8")
    (folder / "README.md").write_text(_README.format(name=name), "utf-8")
    return folder


def _renamed(manifest: str, name: str) -> str:
    manifest = re.sub(r'^name = "toy"$', f'name = "{name}"', manifest, count=1, flags=re.MULTILINE)
    return re.sub(r"^suites = .*\n", "", manifest, count=1, flags=re.MULTILINE)
