"""The offline embedder: hashed counts of syntax-tree features. It is deterministic and downloads nothing.

Python is parsed, which drops comments and layout; docstrings and names of local variables are removed. Each node of
the syntax tree is counted alone, with its parent, and with its grandparent. In these paths numbers count by order of
magnitude; in addition each number counts once by value. Counts are hashed with signs into a fixed number of dimensions.
Files that do not parse, nest too deeply or are not Python are counted by words and bigrams.
"""

import ast
import copy
import hashlib
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

import numpy as np

from fmlbench.metrics.trace import Vectors

DIMENSIONS = 512
NEAR = 0.002
"""Changed numbers move a program by up to 0.0009, changed methods by 0.003 or more (tests/unit/metrics/programs.py)."""
_DEEPEST = 150
"""Deeper code, such as a sum of hundreds of terms, is treated as text: recursion would overflow the stack."""
_LONGEST_NUMBER = 10**1000
_ANY_NAME = "_"
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_WORD = re.compile(r"[^\W\d]\w*|\d+(?:\.\d+)?|[^\w\s]")


class StructureEmbedder:
    """Vectors of syntax; the same on every machine."""

    name = "offline"
    near = NEAR
    is_cached = False

    @property
    def digest(self) -> str:
        """The hash of the source code that defines the vectors."""
        return hashlib.sha256(Path(__file__).read_bytes()).hexdigest()

    def windows(self, files: Mapping[str, str]) -> Sequence[bytes]:
        """The top-level statements of every file, as their features."""
        return [window for path, text in sorted(files.items()) for window in _windows_of(path, text)]

    def embed(self, windows: Sequence[bytes]) -> Vectors:
        """Hash every window's features."""
        points = np.zeros((len(windows), DIMENSIONS))
        for row, window in zip(points, windows, strict=True):
            for feature, count in Counter(window.decode("utf-8").split("\n")).items():
                place = int.from_bytes(hashlib.blake2b(feature.encode(), digest_size=8).digest(), "big")
                row[(place >> 1) % DIMENSIONS] += count if place & 1 else -count
        return points


@lru_cache(maxsize=4096)
def _windows_of(path: str, text: str) -> Sequence[bytes]:
    return tuple(_cut(path, text))


def _cut(path: str, text: str) -> Iterator[bytes]:
    module = _parsed(text) if path.endswith(".py") else None
    if module is None:
        yield from _words_of(text)
    else:
        yield from (_encoded(_paths(canonical(statement), "", "")) for statement in _statements(module))


def _parsed(text: str) -> ast.Module | None:
    """The syntax tree; None if the code has to be treated as text."""
    try:
        module = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return module if _depth(module) <= _DEEPEST else None


def _depth(module: ast.Module) -> int:
    depth, level = 0, list[ast.AST]([module])
    while level:
        depth, level = depth + 1, [child for node in level for child in ast.iter_child_nodes(node)]
    return depth


def _statements(module: ast.Module) -> Iterator[ast.stmt]:
    """Top-level statements and class members, without docstrings."""
    for statement in without_docstring(module.body):
        if isinstance(statement, ast.ClassDef):
            yield from without_docstring(statement.body)
            statement.body = [ast.Pass()]
        yield statement


def _paths(node: ast.AST, parent: str, grandparent: str) -> Iterator[str]:
    label = _label(node)
    yield label
    if parent:
        yield f"{parent}>{label}"
    if grandparent:
        yield f"{grandparent}>{parent}>{label}"
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        yield f"={_exact(node.value)}"
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.expr_context):
            yield from _paths(child, label, parent)


def _label(node: ast.AST) -> str:
    kind = type(node).__name__
    if isinstance(node, ast.Constant):
        return f"{kind}:{_size_of(node.value)}"
    names = (getattr(node, field, None) for field in ("id", "attr", "arg", "name"))
    return ":".join([kind, *(name for name in names if isinstance(name, str))])


def _size_of(value: object) -> str:
    """The label of a constant in a path: the order of magnitude of a number, the text of a string."""
    if isinstance(value, bool) or value is None or not isinstance(value, int | float):
        return repr(value).replace("\n", " ")
    if value == 0 or (isinstance(value, float) and not math.isfinite(value)):
        return repr(value)
    return f"1e{math.floor(math.log10(abs(value)))}"


def _exact(value: float) -> str:
    """A number by its value, in hexadecimal if too long: Python refuses to print integers of thousands of digits."""
    return repr(value) if isinstance(value, float) or abs(value) < _LONGEST_NUMBER else f"{value:x}"


def _words_of(text: str) -> Iterator[bytes]:
    words = _WORD.findall(text)
    if words:
        yield _encoded([*words, *(f"{first} {second}" for first, second in pairwise(words))])


def _encoded(features: Iterator[str] | Sequence[str]) -> bytes:
    return "\n".join(features).encode("utf-8", "replace")


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
        node.id = _ANY_NAME if node.id in self._names else node.id
        return node

    def visit_arg(self, node: ast.arg) -> ast.arg:
        node.arg = _ANY_NAME
        self.generic_visit(node)
        return node
