"""Start a new task: a copy of the toy task under another name, to be changed piece by piece.

What works from the first minute, and is checked after every change, is easier to get right than an empty form.
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

A copy of fmlbench's toy task, to begin with. Replace its parts one after the other and run `fmlbench tasks check` as
you go; the tutorial, docs/your-own-task.md, shows the order. Then tell here:

- **Codebase**: which, from where, under which licence, and what was mended.
- **Data**: which, from where, under which licence, and how it is divided.
- **Baseline, method off, expert reference**: what they do, and where the methods come from.
- **Exploits**: which cheap tricks the problem invites, and what they earn.
- **Noise and cost**: what was measured, when, and on which machine.
"""


def start_task(name: str, where: Path) -> Path:
    """Make the folder ``where/name``, which is a task that passes its admission; return it."""
    try:
        TypeAdapter(TaskName).validate_python(name)
    except ValidationError as error:
        raise BadRequest(
            f"'{name}' is no name for a task.", hint="Use lower case, digits and hyphens, such as my-task."
        ) from error
    folder = where / name
    if folder.exists():
        raise BadRequest(
            f"There is something at {folder} already.", hint="Take another name, or another place with --in."
        )
    toy = Path(str(resources.files("fmlbench.suite") / "toy"))
    shutil.copytree(toy, folder, ignore=shutil.ignore_patterns("__pycache__"))
    manifest = folder / "task.toml"
    manifest.write_text(_renamed(manifest.read_text("utf-8"), name), "utf-8")
    (folder / "README.md").write_text(_README.format(name=name), "utf-8")
    return folder


def _renamed(manifest: str, name: str) -> str:
    manifest = re.sub(r'^name = "toy"$', f'name = "{name}"', manifest, count=1, flags=re.MULTILINE)
    return re.sub(r"^suites = .*\n", "", manifest, count=1, flags=re.MULTILINE)
