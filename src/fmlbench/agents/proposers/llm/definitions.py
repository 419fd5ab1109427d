"""Replace functions, classes and constants of a module by new definitions with the same names.

Small models write only the function that they change, without imports and the rest of the file.
"""

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fmlbench.agents.proposers.llm.edits import EditProblem
from fmlbench.agents.proposers.llm.python import why_not_python


@dataclass(frozen=True)
class _Statement:
    """A statement at the top level of a module."""

    node: ast.stmt
    lines: tuple[str, ...]
    start: int
    """Its first line, decorators included, counted from 0."""

    @property
    def names(self) -> frozenset[str]:
        """What it defines."""
        return names_of(self.node)

    @property
    def is_import(self) -> bool:
        return isinstance(self.node, ast.Import | ast.ImportFrom)

    @property
    def is_docstring(self) -> bool:
        return is_docstring(self.node)


def redefine(module: str, wanted: str) -> str:
    """The module with the wanted definitions; new ones go before the definition that follows them in ``wanted``."""
    lines = _lines(module)
    old = list(_statements(module))
    replacements: dict[int, tuple[_Statement, tuple[str, ...]]] = {}
    waiting: list[str] = []
    imports: list[str] = []
    for statement in _statements(wanted):
        if statement.is_import:
            if all(ast.dump(statement.node) != ast.dump(each.node) for each in old if each.is_import):
                imports += statement.lines
        elif statement.names:
            target = _namesake(statement, old)
            if target is None:
                waiting += [*statement.lines, "", ""]
            else:
                _, before = replacements.get(target.start, (target, ()))
                replacements[target.start] = (target, (*before, *waiting, *statement.lines))
                waiting = []
        elif not statement.is_docstring:
            raise EditProblem(
                f"'{statement.lines[0].strip()}' is not a function, class, constant or import: write only complete "
                "definitions."
            )
    return _joined(lines, replacements, _place_of_imports(old), imports, waiting)


def changed_statements(before: str, after: str) -> str:
    """The statements of a module that are new or changed; the whole text if either is not valid Python."""
    if why_not_python(before) or why_not_python(after):
        return after
    known = {statement.lines for statement in _statements(before)}
    return "\n\n\n".join("\n".join(each.lines) for each in _statements(after) if each.lines not in known)


def names_in(text: str) -> frozenset[str]:
    """The names that a module defines at its top level; none if it is not valid Python."""
    if why_not_python(text):
        return frozenset()
    return frozenset[str]().union(*map(names_of, ast.parse(text).body))


def definition_of(name: str, text: str) -> str:
    """The code of a top-level definition; empty if there is none, or the text is not valid Python."""
    if why_not_python(text):
        return ""
    return next(("\n".join(each.lines) for each in _statements(text) if name in each.names), "")


def names_of(node: ast.stmt) -> frozenset[str]:
    """The names that a statement defines."""
    match node:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return frozenset({name})
        case ast.Assign(targets=targets):
            return frozenset(target.id for target in targets if isinstance(target, ast.Name))
        case ast.AnnAssign(target=ast.Name(id=name)):
            return frozenset({name})
        case _:
            return frozenset()


def is_docstring(node: ast.stmt) -> bool:
    """Whether a statement is just a constant, without effect."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _joined(
    lines: Sequence[str],
    replacements: dict[int, tuple[_Statement, tuple[str, ...]]],
    place: int,
    imports: Sequence[str],
    appended: Sequence[str],
) -> str:
    joined: list[str] = []
    at = 0
    while at <= len(lines):
        if at == place:
            joined += imports
        if at in replacements:
            target, fresh = replacements[at]
            joined += fresh
            at += len(target.lines)
            continue
        if at < len(lines):
            joined.append(lines[at])
        at += 1
    if appended:
        joined += ["", "", *appended[:-2]]
    return "\n".join(joined) + "\n"


def _statements(text: str) -> Iterator[_Statement]:
    if why := why_not_python(text):
        raise EditProblem(f"This is not valid Python: {why}")
    lines = _lines(text)
    ends = 0
    for node in ast.parse(text).body:
        start = min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", ()))]) - 1
        stop = node.end_lineno or node.lineno
        if start < ends:
            raise EditProblem(f"'{lines[start].strip()}' has several statements: write each on a separate line.")
        ends = stop
        yield _Statement(node, tuple(lines[start:stop]), start)


def _lines(text: str) -> list[str]:
    """Lines as Python counts them; ``splitlines`` would also split at form feeds."""
    return text.replace("\r\n", "\n").replace("\r", "\n").removesuffix("\n").split("\n")


def _namesake(statement: _Statement, old: Sequence[_Statement]) -> _Statement | None:
    found = [each for each in old if each.names & statement.names]
    if len(found) > 1:
        raise EditProblem(f"{', '.join(sorted(statement.names))} is defined {len(found)} times in the file.")
    return found[0] if found else None


def _place_of_imports(old: Sequence[_Statement]) -> int:
    """After the last import, or else after the docstring."""
    above = [each.start + len(each.lines) for each in old if each.is_import or (each is old[0] and each.is_docstring)]
    return max(above, default=0)
