"""Static checks of Python code: syntax, undefined names, functions that lost their return."""

import ast
import builtins
import symtable
import warnings
from collections.abc import Iterator

_OF_MODULES = ("annotations", "builtins", "class", "doc", "file", "loader", "name", "package", "path", "spec")
_ALWAYS_THERE = {*dir(builtins), *(f"__{name}__" for name in _OF_MODULES)}


def why_not_python(text: str) -> str:
    """The syntax error of a text in one line; empty if it is valid Python."""
    with warnings.catch_warnings():
        # Warnings, such as invalid escapes in docstrings, are no reason to reject a change.
        warnings.simplefilter("ignore")
        try:
            compile(text, "a module", "exec", dont_inherit=True)
        except SyntaxError as error:
            place = f" in line {error.lineno}: {(error.text or '').strip()}" if error.lineno else ""
            return f"{error.msg}{place}"
        except (ValueError, RecursionError, MemoryError) as error:
            return str(error) or type(error).__name__
    return ""


def missing_names(text: str) -> set[str]:
    """The names that a module uses without defining them; empty if a star import may define them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        imports = (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.ImportFrom))
        if any(alias.name == "*" for node in imports for alias in node.names):
            return set()
        scopes = list(_scopes(symtable.symtable(text, "a module", "exec")))
    symbols = [symbol for scope in scopes for symbol in scope.get_symbols() if symbol.is_global()]
    used = {symbol.get_name() for symbol in symbols if symbol.is_referenced()}
    defined = {symbol.get_name() for symbol in symbols if symbol.is_assigned() or symbol.is_imported()}
    return used - defined - _ALWAYS_THERE


def quiet(before: str, after: str) -> set[str]:
    """The functions that ended with a return value and now return nothing, usually because their end is missing."""
    old, new = _functions(before), _functions(after)
    return {name for name in old.keys() & new.keys() if _ends_with_value(old[name]) and _returns_nothing(new[name])}


def _functions(text: str) -> dict[str, ast.FunctionDef | ast.AsyncFunctionDef]:
    """The functions of a module, and the methods of its classes by their qualified names."""
    found: dict[str, ast.FunctionDef | ast.AsyncFunctionDef] = {}
    waiting: list[tuple[str, ast.stmt]] = [("", node) for node in ast.parse(text).body]
    for prefix, node in waiting:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            found[prefix + node.name] = node
        elif isinstance(node, ast.ClassDef):
            waiting += [(f"{prefix}{node.name}.", inner) for inner in node.body]
    return found


def _ends_with_value(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    last = function.body[-1]
    return isinstance(last, ast.Return) and last.value is not None


def _returns_nothing(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    others = (ast.Yield, ast.YieldFrom, ast.Raise)
    return not any(
        isinstance(node, others) or (isinstance(node, ast.Return) and node.value) for node in ast.walk(function)
    )


def _scopes(scope: symtable.SymbolTable) -> Iterator[symtable.SymbolTable]:
    yield scope
    for inner in scope.get_children():
        yield from _scopes(inner)
