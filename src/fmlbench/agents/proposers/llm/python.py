"""Whether a text is Python, and sound, as far as can be said without running it."""

import ast
import builtins
import symtable
import warnings
from collections.abc import Iterator

_OF_MODULES = ("annotations", "builtins", "class", "doc", "file", "loader", "name", "package", "path", "spec")
_ALWAYS_THERE = {*dir(builtins), *(f"__{name}__" for name in _OF_MODULES)}


def why_not_python(text: str) -> str:
    """What keeps a text from being Python, in one line; nothing if it is."""
    with warnings.catch_warnings():
        # A doubtful escape in somebody's docstring is no reason to turn a change down.
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
    """The names that a module uses though nothing in it defines them; none if a star import may define any."""
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
    """The functions that ended by returning something and now return nothing: their end was left out, as a rule."""
    spoke, speaks = _functions(before), _functions(after)
    return {name for name in spoke.keys() & speaks.keys() if _ends_with_value(spoke[name]) and _is_mute(speaks[name])}


def _functions(text: str) -> dict[str, ast.FunctionDef | ast.AsyncFunctionDef]:
    """The functions of a module, and the methods of its classes by both names."""
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


def _is_mute(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    gives = (ast.Yield, ast.YieldFrom, ast.Raise)
    return not any(
        isinstance(node, gives) or (isinstance(node, ast.Return) and node.value) for node in ast.walk(function)
    )


def _scopes(scope: symtable.SymbolTable) -> Iterator[symtable.SymbolTable]:
    yield scope
    for inner in scope.get_children():
        yield from _scopes(inner)
