"""One Python file as the families see it: its syntax tree, a walk over the tree, and the context of a node."""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import cast

import libcst as cst
from libcst.helpers import get_full_name_for_node
from libcst.metadata import ByteSpanPositionProvider, CodeSpan, MetadataWrapper

VisitorMethod = Callable[[cst.CSTNode], None]

_NEWLINE = ord("\n")


@dataclass(frozen=True)
class Span:
    """A stretch of a file, in bytes."""

    start: int
    end: int


@dataclass(frozen=True)
class Source:
    """A parsed file. Edits are splices of its text, so whatever is not edited keeps its format and comments."""

    data: bytes
    module: cst.Module
    imports: Mapping[str, str]
    """What the file's imported names stand for: ``F`` for ``torch.nn.functional``."""
    defined: frozenset[str]
    """Functions and classes defined anywhere in the editable code."""
    positions: Mapping[cst.CSTNode, CodeSpan]

    def span(self, node: cst.CSTNode) -> Span:
        """Where a node stands, without the parentheses around it."""
        position = self.positions[node]
        return Span(position.start, position.start + position.length)

    def text(self, node: cst.CSTNode) -> str:
        """A node's own words, with the parentheses around it."""
        span = self.span(node)
        words = self.data[span.start : span.end].decode()
        opened = len(getattr(node, "lpar", ()))
        return "(" * opened + words + ")" * opened

    def indent(self, node: cst.CSTNode) -> str:
        """The white space that the line of a statement begins with."""
        start = self.span(node).start
        line = self.data[self.data.rfind(b"\n", 0, start) + 1 : start]
        return line[: len(line) - len(line.lstrip())].decode()

    def line(self, offset: int) -> int:
        """The number of the line that holds a byte, counted from one."""
        return bisect_left(self._line_ends, offset) + 1

    @cached_property
    def _line_ends(self) -> list[int]:
        return [offset for offset, byte in enumerate(self.data) if byte == _NEWLINE]

    def uses(self, library: str) -> bool:
        """Whether the file imports something from a library."""
        return any(dotted.split(".")[0] == library for dotted in self.imports.values())

    def alias(self, module: str) -> str | None:
        """The name a module goes by in this file, if it is imported."""
        return next((name for name, dotted in self.imports.items() if dotted == module), None)


def parse(text: str, defined: frozenset[str]) -> Source | None:
    """Parse a file; None where that is not possible (another dialect, a crashed candidate's typing error)."""
    try:
        module = cst.parse_module(text)
        # A fresh parse shares no nodes, so the copy that would keep them apart is not needed.
        positions = _Positions(module, unsafe_skip_copy=True).resolve(ByteSpanPositionProvider)
    except (cst.ParserSyntaxError, RecursionError):
        return None
    if module.code != text:
        # Something was left out in parsing (a byte-order mark, say), so that positions would be off.
        return None
    return Source(text.encode(), module, _imports_of(module), defined, positions)


class _Positions(MetadataWrapper):
    """A wrapper that does not walk the whole tree once more on behalf of no visitor at all."""

    def visit_batched(
        self,
        visitors: Iterable[cst.BatchableCSTVisitor],
        before_visit: VisitorMethod | None = None,
        after_leave: VisitorMethod | None = None,
    ) -> cst.CSTNode:
        wanted = list(visitors)
        return super().visit_batched(wanted, before_visit, after_leave) if wanted else self.module


def _imports_of(module: cst.Module) -> dict[str, str]:
    found: dict[str, str] = {}
    for line in module.body:
        if isinstance(line, cst.SimpleStatementLine):
            for statement in line.body:
                found.update(_names_from(statement))
    return found


def _names_from(statement: cst.BaseSmallStatement) -> dict[str, str]:
    if isinstance(statement, cst.Import):
        return dict(_imported(alias) for alias in statement.names)
    if isinstance(statement, cst.ImportFrom) and not isinstance(statement.names, cst.ImportStar):
        package = get_full_name_for_node(statement.module) or "" if statement.module else ""
        prefix = "." * len(statement.relative) + package
        return {
            alias.evaluated_alias or alias.evaluated_name: f"{prefix}.{alias.evaluated_name}"
            for alias in statement.names
        }
    return {}


def _imported(alias: cst.ImportAlias) -> tuple[str, str]:
    """The name that ``import a.b`` or ``import a.b as c`` binds, and what it stands for."""
    if alias.evaluated_alias:
        return alias.evaluated_alias, alias.evaluated_name
    top = alias.evaluated_name.split(".")[0]
    return top, top


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


# libcst's own visitors also stop at every blank and comma, which is ten times the work.
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


# Nodes that a value passes through on its way to the name it is given.
_CARRIERS = (
    cst.UnaryOperation,
    cst.BinaryOperation,
    cst.Element,
    cst.Tuple,
    cst.List,
    cst.IfExp,
)

_ATOMS = (cst.Name, cst.Attribute, cst.Call, cst.Subscript, cst.Integer, cst.Float)

# Below these any expression may stand without parentheses.
_ROOMY = (cst.Assign, cst.AnnAssign, cst.Return, cst.Arg, cst.Param)

_SNIPPET_CHARACTERS = 48


@dataclass(frozen=True)
class Cursor:
    """The context of a node; ``trail`` is the path from the module down to the node's parent."""

    source: Source
    trail: Sequence[cst.CSTNode]

    @property
    def parent(self) -> cst.CSTNode:
        """The node just above."""
        return self.trail[-1]

    @property
    def scope(self) -> str:
        """The function or class that the place belongs to."""
        for node in reversed(self.trail):
            if isinstance(node, cst.FunctionDef | cst.ClassDef):
                return node.name.value
        return "module"

    @property
    def role(self) -> str:
        """The name that the value here is given: an argument's, a parameter's, a variable's; else empty."""
        for node in reversed(self.trail):
            if not isinstance(node, _CARRIERS):
                return _name_given_by(node)
        return ""

    @property
    def callee(self) -> str:
        """The function that the value here is a positional argument of, else empty."""
        for node, above in self._pairs():
            if isinstance(node, cst.Arg) and isinstance(above, cst.Call):
                return "" if node.keyword else called(above)
            if not isinstance(node, _CARRIERS):
                return ""
        return ""

    def text(self, node: cst.CSTNode) -> str:
        """A node's source."""
        return self.source.text(node)

    def operand(self, node: cst.BaseExpression) -> str:
        """A node's source, in parentheses if operator precedence may require them."""
        words = self.source.text(node)
        return words if node.lpar or isinstance(node, _ATOMS) else f"({words})"

    def instead_of(self, node: cst.BaseExpression, expression: str) -> str:
        """An expression that replaces a node, in parentheses if needed."""
        return expression if node.lpar or isinstance(self.parent, _ROOMY) else f"({expression})"

    def snippet(self, node: cst.CSTNode) -> str:
        """A node's source in one short line."""
        words = " ".join(self.text(node).split())
        return words if len(words) <= _SNIPPET_CHARACTERS else words[: _SNIPPET_CHARACTERS - 3] + "..."

    def module_of(self, call: cst.Call) -> str:
        """The module a called function comes from, such as ``torch.nn``; empty for methods and local names."""
        if not isinstance(call.func, cst.Attribute):
            dotted = self.source.imports.get(called(call), "")
            return dotted.rpartition(".")[0]
        first, _, rest = self.text(call.func.value).partition(".")
        dotted = self.source.imports.get(first, "")
        return f"{dotted}.{rest}" if dotted and rest else dotted

    def renamed(self, call: cst.Call, name: str) -> str:
        """The function of a call with another name, in the same module or object."""
        if isinstance(call.func, cst.Attribute):
            return f"{self.text(call.func.value)}.{name}"
        return name

    def knows(self, call: cst.Call, name: str) -> bool:
        """Whether the other name is available there: a bare name must be imported or defined."""
        if isinstance(call.func, cst.Attribute):
            return True
        return name in self.source.imports or name in self.source.defined

    def _pairs(self) -> Iterator[tuple[cst.CSTNode, cst.CSTNode]]:
        """Nodes above, nearest first, each with the one above it."""
        return zip(reversed(self.trail), reversed(self.trail[:-1]), strict=False)


def called(call: cst.Call) -> str:
    """The last part of a called function's name; empty where it has none."""
    if isinstance(call.func, cst.Attribute):
        return call.func.attr.value
    return call.func.value if isinstance(call.func, cst.Name) else ""


def _name_given_by(node: cst.CSTNode) -> str:
    match node:
        case cst.Arg(keyword=cst.Name(value=name)) | cst.Param(name=cst.Name(value=name)):
            return name
        case cst.Assign(targets=[cst.AssignTarget(target=target)]):
            return _last_name(target)
        case cst.AnnAssign(target=target) | cst.AugAssign(target=target):
            return _last_name(target)
        case cst.DictElement(key=cst.SimpleString() as key):
            return str(key.evaluated_value)
        case _:
            return ""


def _last_name(target: cst.CSTNode) -> str:
    match target:
        case cst.Name(value=name) | cst.Attribute(attr=cst.Name(value=name)):
            return name
        case _:
            return ""
