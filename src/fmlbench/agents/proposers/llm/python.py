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


def _scopes(scope: symtable.SymbolTable) -> Iterator[symtable.SymbolTable]:
    yield scope
    for inner in scope.get_children():
        yield from _scopes(inner)
