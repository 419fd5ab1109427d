"""The position of a node in the syntax tree, and what families can ask about it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import libcst as cst

from fmlbench.agents.proposers.mutate.source import Source

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
