"""Write the parts of the documentation that are generated from the code.

python docs/generate.py           write them
python docs/generate.py --check   fail if they are not up to date
"""

import ast
import inspect
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from page import format_page
from pydantic import BaseModel
from tasks_page import tasks

from fmlbench.agents.registry import AGENTS, MUTATE, AgentEntry
from fmlbench.core import evaluation, run, sources, task
from fmlbench.metrics.catalogue import MEASURES
from fmlbench.metrics.measure import MeasureFamily
from fmlbench.scheduling import study

HERE = Path(__file__).parent
TABLES_BEGIN, TABLES_END = "<!-- tables: generated -->", "<!-- end of tables -->"

Records = tuple[tuple[type[BaseModel], str], ...]

MANIFEST: Records = (
    (task.Task, "the top of `task.toml`"),
    (sources.Material, "`[codebase]` and each `[[data]]`"),
    (sources.PypiSource, '`sources`, `kind = "pypi"`'),
    (sources.NpmSource, '`sources`, `kind = "npm"`'),
    (sources.GitSource, '`sources`, `kind = "git"`'),
    (sources.UrlSource, '`sources`, `kind = "url"`'),
    (sources.PathSource, '`sources`, `kind = "path"`'),
    (sources.Patch, "`[[codebase.patches]]`"),
    (sources.Edit, "`edits` of a variant"),
    (task.Environment, "`[environment]`"),
    (task.Editable, "`[editable]`"),
    (evaluation.Metric, "`[metric]`"),
    (task.Rule, "`[[rules]]`"),
    (task.Variant, "`[reference]`, `[method_off]` and each `[[exploits]]`"),
    (task.Track, "`[tracks.NAME]`"),
    (task.Training, "`[[tracks.NAME.training]]`"),
    (task.Exam, "`[tracks.NAME.exam]`"),
    (task.AnswerFormat, "`answers` of an exam"),
    (task.Limits, "`limits` of a stage"),
    (task.Calibration, "`[tracks.NAME.calibration]`"),
    (task.Measured, "`baseline`, `method_off` and `reference` of a calibration"),
    (task.Figure, "`validation` and `test` of those"),
)

STUDY: Records = (
    (study.Study, "the top of the file"),
    (study.StudyAgent, "`agents`, each"),
    (run.Budget, "`[budget]`"),
    (study.SweepCaps, "`[caps]`"),
    (study.Retry, "`[retry]`"),
    (study.RayOptions, "`[ray]`"),
    (study.SlurmOptions, "`[slurm]`"),
)


def manifest() -> str:
    """The reference of the manifest: every field of every record."""
    lines = [
        "# The manifest, field by field",
        "",
        "Generated from `fmlbench.core` by `python docs/generate.py`. A field without a default is required; an",
        "unknown field is an error. [writing-tasks.md](writing-tasks.md) explains how the parts work together.",
    ]
    return "\n".join([*lines, *reference(MANIFEST)]) + "\n"


def study_file() -> str:
    """The reference of study files: every field of every record."""
    lines = [
        "# The study file, field by field",
        "",
        "Generated from `fmlbench.scheduling` by `python docs/generate.py`. A field without a default is required; an",
        "unknown field is an error. [examples](../examples) has two study files; [scaling.md](scaling.md) explains",
        "sweeps.",
    ]
    return "\n".join([*lines, *reference(STUDY)]) + "\n"


def reference(records: Records) -> list[str]:
    """A section per record, a line per field."""
    lines: list[str] = []
    for record, place in records:
        lines += ["", f"## {record.__name__}: {place}", "", inspect.cleandoc(record.__doc__ or ""), ""]
        lines += ["| field | type | default | meaning |", "|---|---|---|---|"]
        lines += [f"| `{name}` | {kind} | {default} | {text} |" for name, kind, default, text in fields_of(record)]
    return lines


def fields_of(record: type[BaseModel]) -> Iterator[tuple[str, str, str, str]]:
    """Name, type, default and docstring of every field, as written in the source."""
    (definition,) = ast.parse(inspect.getsource(record)).body
    assert isinstance(definition, ast.ClassDef)
    for statement, after in zip(definition.body, [*definition.body[1:], None], strict=True):
        if not isinstance(statement, ast.AnnAssign) or not isinstance(statement.target, ast.Name):
            continue
        default = "" if statement.value is None else f"`{ast.unparse(statement.value)}`"
        kind = f"`{ast.unparse(Plain().visit(statement.annotation))}`".replace("|", "\\|")
        yield statement.target.id, kind, default.replace("|", "\\|"), _docstring(after)


class Plain(ast.NodeTransformer):
    """Replaces ``Annotated[type, ...]`` by the type."""

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        """Keep the first element in the brackets."""
        if ast.unparse(node.value) == "Annotated":
            assert isinstance(node.slice, ast.Tuple)
            return self.visit(node.slice.elts[0])
        return self.generic_visit(node)


def _docstring(statement: ast.stmt | None) -> str:
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
        return " ".join(str(statement.value.value).split())
    return ""


SETTINGS = re.compile(r"<!-- settings of (?P<agent>\S+) -->\n.*?<!-- end -->", re.DOTALL)


def agents() -> str:
    """The handwritten page on agents, with tables of settings generated from the code."""
    page = _text(HERE / "agents.md")
    documented = {found["agent"] for found in SETTINGS.finditer(page)}
    searching = {name for name, entry in AGENTS.items() if entry.proposer == MUTATE.name}
    assert documented == searching, f"docs/agents.md has {sorted(documented)}, the code has {sorted(searching)}"
    return SETTINGS.sub(lambda found: _settings(AGENTS[found["agent"]]), page)


def _settings(agent: AgentEntry) -> str:
    lines = [f"<!-- settings of {agent.name} -->"]
    if agent.settings:
        lines += ["| setting | default | values | meaning |", "|---|---|---|---|"]
    lines += [
        f"| `{name}` | {setting.default} | {setting.range or 'any'} | {setting.meaning} |"
        for name, setting in agent.settings.items()
    ]
    return "\n".join([*lines, "<!-- end -->"])


def measures() -> str:
    """The handwritten page on metrics, with tables generated from the catalogue."""
    before, _, rest = _text(HERE / "metrics.md").partition(TABLES_BEGIN)
    _, _, after = rest.partition(TABLES_END)
    return "\n".join([f"{before}{TABLES_BEGIN}", *_measure_tables(), f"{TABLES_END}{after}"])


def _measure_tables() -> Iterator[str]:
    for family in MeasureFamily:
        yield from ("", f"### {family.capitalize()}", "")
        yield from ("| measure | unit | better | what it is | defined by |", "|---|---|---|---|---|")
        for one in MEASURES:
            if one.family is family:
                yield f"| `{one.name}` | {one.unit} | {one.better} | {one.sentence} | {one.source} |"
    yield ""


PAGES = {
    "agents.md": agents,
    "manifest.md": manifest,
    "metrics.md": measures,
    "study-file.md": study_file,
    "tasks.md": tasks,
}


def main(arguments: list[str]) -> int:
    """Write or check every generated page."""
    pages = {name: format_page(page()) for name, page in PAGES.items()}
    stale = [name for name, text in pages.items() if _text(HERE / name) != text]
    if "--check" in arguments:
        sys.stderr.writelines(f"docs/{name} is not up to date: run python docs/generate.py\n" for name in stale)
        return 1 if stale else 0
    for name in stale:
        (HERE / name).write_text(pages[name], "utf-8")
    return 0


def _text(path: Path) -> str:
    return path.read_text("utf-8") if path.exists() else ""


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
