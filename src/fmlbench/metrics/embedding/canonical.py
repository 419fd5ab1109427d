"""Normalise code: remove docstrings and the names of local variables."""

import ast
import copy

_ANY = "_"
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


def canonical(statement: ast.stmt) -> ast.stmt:
    """A copy without docstrings, in which every local variable and parameter has the same name."""
    changed = copy.deepcopy(statement)
    for node in ast.walk(changed):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            node.body = without_docstring(node.body)
    for scope in [node for node in ast.walk(changed) if isinstance(node, _SCOPES)]:
        _Rename(_bound_in(scope)).visit(scope)
    return changed


def without_docstring(body: list[ast.stmt]) -> list[ast.stmt]:
    """The statements of a body without its docstring."""
    first = body[0] if body else None
    is_docstring = (
        isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str)
    )
    return body[1:] if is_docstring else body


def _bound_in(scope: ast.AST) -> frozenset[str]:
    """Names bound anywhere in the scope (assignments, loops, parameters), except those declared global or nonlocal."""
    bound: set[str] = set()
    outside: set[str] = set()
    for node in ast.walk(scope):
        match node:
            case ast.arg():
                bound.add(node.arg)
            case ast.Name(ctx=ast.Store()):
                bound.add(node.id)
            case ast.Global() | ast.Nonlocal():
                outside.update(node.names)
            case _:
                pass
    return frozenset(bound - outside)


class _Rename(ast.NodeTransformer):
    def __init__(self, names: frozenset[str]) -> None:
        self._names = names

    def visit_Name(self, node: ast.Name) -> ast.Name:
        node.id = _ANY if node.id in self._names else node.id
        return node

    def visit_arg(self, node: ast.arg) -> ast.arg:
        node.arg = _ANY
        self.generic_visit(node)
        return node
