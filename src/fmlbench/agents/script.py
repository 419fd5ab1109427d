r"""Scripted steps in a JSON file, for tests.

[
  {"idea": "twice the width", "edits": [{"file": "model.py", "search": "width = 8", "replace": "width = 16"}]},
  {"idea": "a new file", "files": {"extra.py": "x = 1\n"}, "operator": "improve", "parents": [1]},
  {"idea": "nothing to run", "rejection": "the edit did not apply"}
]
"""

from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from fmlbench.core.errors import BadRequest
from fmlbench.core.record import Record
from fmlbench.core.steps import Operator


class ScriptedEdit(Record):
    """A replacement; ``search`` must occur exactly once in the file, or the proposal is rejected."""

    file: str
    search: str
    replace: str


class ScriptedStep(Record):
    """One step of a script: the move and the proposal."""

    idea: str
    operator: Operator = Operator.DRAFT
    parents: tuple[int, ...] = (0,)
    files: dict[str, str] = {}
    """Whole files, laid over the parent's."""
    edits: tuple[ScriptedEdit, ...] = ()
    """Applied in order, after ``files``."""
    rejection: str = ""


Script = tuple[ScriptedStep, ...]


def read_script(path: Path) -> Script:
    """Read a script from a JSON file."""
    try:
        return TypeAdapter(Script).validate_json(path.read_bytes())
    except OSError as error:
        raise BadRequest(
            f"The script '{path}' cannot be read: {error.strerror}.", hint="Give the path of a JSON file."
        ) from error
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"]) or "the file"
        raise BadRequest(
            f"The script '{path}' is invalid: {place}: {first['msg']}.",
            hint="A script is a list of steps, each with an idea and files, edits or a rejection.",
        ) from error
