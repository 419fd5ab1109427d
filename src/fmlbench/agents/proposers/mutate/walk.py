"""A walk over the parts of a syntax tree where a change can matter.

libcst's own visitors also stop at every blank and comma, which is ten times the work.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import cast

import libcst as cst

Visit = Callable[[cst.CSTNode], None]

# Annotations and decorators do not compute, operators are changed from the expression that holds them.
_UNWALKED_FIELDS = frozenset(
    {"annotation", "returns", "decorators", "operator", "comma", "semicolon", "lpar", "rpar", "header", "footer"}
    | {"asname", "leading_lines", "lines_after_decorators", "equal", "dot", "colon", "indent", "keyword"}
)

_UNWALKED_NODES = (
    cst.Import,
    cst.ImportFrom,
    cst.Assert,
    cst.FormattedString,
    cst.Global,
    cst.Nonlocal,
    cst.Del,
    cst.ExceptHandler,
)

# These calls only print or log, so changing their arguments does not change the method.
_TALKING_FUNCTIONS = frozenset({"__repr__", "__str__", "extra_repr", "__len__"})
_TALKING_OBJECTS = frozenset({"print", "logger", "logging", "log", "warnings", "wandb", "writer", "tqdm"})


def walk(node: cst.CSTNode, trail: list[cst.CSTNode], visit: Visit) -> None:
    """Visit a node and all below it, parents first; ``trail`` holds the nodes above during each visit."""
    if isinstance(node, _UNWALKED_NODES) or _only_talks(node):
        return
    visit(node)
    trail.append(node)
    for below in _children(node):
        walk(below, trail, visit)
    trail.pop()


def _children(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    for field in _walked_fields(type(node)):
        below: object = getattr(node, field)
        if _is_node(type(below)):
            yield cast("cst.CSTNode", below)
        elif isinstance(below, tuple | list):
            items = cast("Sequence[object]", below)
            yield from (cast("cst.CSTNode", item) for item in items if _is_node(type(item)))


@cache
def _is_node(kind: type) -> bool:
    return issubclass(kind, cst.CSTNode)


@cache
def _walked_fields(kind: type[cst.CSTNode]) -> tuple[str, ...]:
    return tuple(
        field
        for field in kind.__dataclass_fields__
        if field not in _UNWALKED_FIELDS and not field.startswith(("whitespace", "trailing_whitespace", "_"))
    )


def _only_talks(node: cst.CSTNode) -> bool:
    """Whether a node is there for people: it prints, complains, or decides whether to."""
    match node:
        case cst.Raise() | cst.Pass() | cst.If(test=cst.Comparison(left=cst.Name(value="__name__"))):
            return True
        case cst.Expr(value=cst.Call(func=function)):
            return _first_name(function) in _TALKING_OBJECTS
        case cst.FunctionDef(name=cst.Name(value=name)):
            return name in _TALKING_FUNCTIONS or name.startswith("test_")
        case cst.If(body=cst.IndentedBlock() as block, orelse=None):
            return _only_talks(block)
        case cst.IndentedBlock(body=statements) | cst.SimpleStatementLine(body=statements):
            return all(_only_talks(statement) for statement in statements)
        case _:
            return False


def _first_name(function: cst.BaseExpression) -> str:
    """The name that a dotted one begins with."""
    while isinstance(function, cst.Attribute):
        function = function.value
    return function.value if isinstance(function, cst.Name) else ""
