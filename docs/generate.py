"""Write the parts of the documentation that are read off the code.

python docs/generate.py           write them
python docs/generate.py --check   fail if they are not up to date
"""

import ast
import inspect
import sys
from collections.abc import Iterator
from pathlib import Path

from pydantic import BaseModel

from fmlbench.core import metric, sources, task

HERE = Path(__file__).parent

RECORDS: tuple[tuple[type[BaseModel], str], ...] = (
    (task.Task, "the top of `task.toml`"),
    (sources.Material, "`[codebase]` and each `[[data]]`"),
    (sources.PypiSource, '`sources`, `kind = "pypi"`'),
    (sources.NpmSource, '`sources`, `kind = "npm"`'),
    (sources.GitSource, '`sources`, `kind = "git"`'),
    (sources.UrlSource, '`sources`, `kind = "url"`'),
    (sources.PathSource, '`sources`, `kind = "path"`'),
    (sources.Mend, "`[[codebase.mends]]`"),
    (task.Environment, "`[environment]`"),
    (task.Editable, "`[editable]`"),
    (metric.Metric, "`[metric]`"),
    (task.Rule, "`[[rules]]`"),
    (task.Variant, "`[reference]` and `[method_off]`"),
    (task.Track, "`[tracks.NAME]`"),
    (task.Training, "`[[tracks.NAME.training]]`"),
    (task.Exam, "`[tracks.NAME.exam]`"),
    (task.Answers, "`answers` of an exam"),
    (task.Limits, "`limits` of a stage"),
    (task.Calibration, "`[tracks.NAME.calibration]`"),
    (task.Measured, "`baseline`, `method_off` and `reference` of a calibration"),
    (task.Figure, "`validation` and `test` of those"),
)


def manifest() -> str:
    """The reference of the manifest: every field of every record it is read into."""
    lines = [
        "# The manifest, field by field",
        "",
        "Generated from `fmlbench.core` by `python docs/generate.py`. A field without a default must be given; a field",
        "that is not listed here is an error. How the parts work together is in [tasks.md](tasks.md).",
    ]
    for record, place in RECORDS:
        lines += ["", f"## {record.__name__}: {place}", "", inspect.cleandoc(record.__doc__ or ""), ""]
        lines += ["| field | type | default | meaning |", "|---|---|---|---|"]
        lines += [f"| `{name}` | {kind} | {default} | {text} |" for name, kind, default, text in fields_of(record)]
    return "\n".join(lines) + "\n"


def fields_of(record: type[BaseModel]) -> Iterator[tuple[str, str, str, str]]:
    """Name, type, default and docstring of every field, as they stand in the source."""
    (definition,) = ast.parse(inspect.getsource(record)).body
    assert isinstance(definition, ast.ClassDef)
    for statement, after in zip(definition.body, [*definition.body[1:], None], strict=True):
        if not isinstance(statement, ast.AnnAssign) or not isinstance(statement.target, ast.Name):
            continue
        default = "" if statement.value is None else f"`{ast.unparse(statement.value)}`"
        kind = f"`{ast.unparse(_plain(statement.annotation))}`".replace("|", "\\|")
        yield statement.target.id, kind, default.replace("|", "\\|"), _docstring(after)


def _plain(annotation: ast.expr) -> ast.expr:
    """The type within ``Annotated[type, ...]``."""
    if isinstance(annotation, ast.Subscript) and ast.unparse(annotation.value) == "Annotated":
        assert isinstance(annotation.slice, ast.Tuple)
        return annotation.slice.elts[0]
    return annotation


def _docstring(statement: ast.stmt | None) -> str:
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
        return " ".join(str(statement.value.value).split())
    return ""


PAGES = {"manifest.md": manifest}


def main(arguments: list[str]) -> int:
    """Write or check every generated page."""
    stale = [name for name, page in PAGES.items() if _text(HERE / name) != page()]
    if "--check" in arguments:
        sys.stderr.writelines(f"docs/{name} is not up to date: run python docs/generate.py\n" for name in stale)
        return 1 if stale else 0
    for name in stale:
        (HERE / name).write_text(PAGES[name](), "utf-8")
    return 0


def _text(path: Path) -> str:
    return path.read_text("utf-8") if path.exists() else ""


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
