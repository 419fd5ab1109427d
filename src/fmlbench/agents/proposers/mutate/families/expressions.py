"""Changes of single expressions: terms, reductions, functions, operators, comparisons, and branches."""

from collections.abc import Iterator

import libcst as cst

from fmlbench.agents.proposers.mutate.family import METHOD, Change, Groups, MutationFamily, renames
from fmlbench.agents.proposers.mutate.source import Cursor
from fmlbench.agents.proposers.mutate.vocabulary import is_loss, is_scores

_TERM_WEIGHTS = ("0.1", "0.5", "2.0", "10.0")


def _find_terms(node: cst.BinaryOperation | cst.AugAssign, cursor: Cursor) -> Iterator[Change]:
    """Drop one side of a sum or product, or give it another weight."""
    if not _is_arithmetic(node):
        return
    if isinstance(node, cst.AugAssign):
        if isinstance(node.operator, cst.AddAssign | cst.SubtractAssign):
            yield from _weighed(node.value, node, cursor)
        return
    if isinstance(node.operator, cst.Add | cst.Subtract):
        yield from _weighed(node.left, node, cursor)
        yield from _weighed(node.right, node, cursor)
    if isinstance(node.operator, cst.Add | cst.Multiply):
        yield _kept(node.right, node, cursor, instead_of=node.left)
    if isinstance(node.operator, cst.Add | cst.Subtract | cst.Multiply | cst.Divide):
        yield _kept(node.left, node, cursor, instead_of=node.right)


def _weighed(term: cst.BaseExpression, whole: cst.CSTNode, cursor: Cursor) -> Iterator[Change]:
    if isinstance(term, cst.Integer | cst.Float):
        return
    for weight in _TERM_WEIGHTS:
        what = f"weigh {cursor.snippet(term)} by {weight} in {cursor.snippet(whole)}"
        yield Change(term, f"{weight} * {cursor.operand(term)}", what, 0.5 * _importance(cursor))


def _kept(
    term: cst.BaseExpression, whole: cst.BinaryOperation, cursor: Cursor, *, instead_of: cst.BaseExpression
) -> Change:
    what = f"drop {cursor.snippet(instead_of)} from {cursor.snippet(whole)}"
    return Change(whole, cursor.text(term), what, _importance(cursor))


def _importance(cursor: Cursor) -> float:
    name = f"{cursor.role}_{cursor.scope}"
    return 3.0 if is_loss(name) or is_scores(name) else 1.0


TERMS = MutationFamily(
    name="terms",
    idea="drop or weigh a term of a sum or product",
    nodes=(cst.BinaryOperation, cst.AugAssign),
    find=_find_terms,
    weight=1.0,
)


_REDUCTIONS: Groups = {
    "numpy": [("mean", "median", "sum", "max", "min"), ("std", "var"), ("minimum", "maximum")],
    "torch": [("mean", "sum", "amax"), ("std", "var"), ("minimum", "maximum")],
    METHOD: [("mean", "sum"), ("std", "var"), ("max", "min"), ("amax", "amin")],
}


def _find_reductions(node: cst.Call, cursor: Cursor) -> Iterator[Change]:
    for change in renames(node, cursor, _REDUCTIONS):
        yield Change(change.target, change.becomes, f"{change.what} in {cursor.snippet(node)}")


REDUCTIONS = MutationFamily(
    name="reductions", idea="swap mean, median, sum, extremes", nodes=(cst.Call,), find=_find_reductions
)


_TRANSFORMS: Groups = {
    "numpy": [("exp", "expm1", "square", "exp2"), ("log", "log1p", "sqrt", "cbrt"), ("abs", "square", "sqrt")],
    "torch": [("exp", "expm1", "square", "exp2"), ("log", "log1p", "sqrt"), ("abs", "square", "sqrt")],
    "math": [("exp", "expm1"), ("log", "log1p", "sqrt", "log2")],
    METHOD: [("exp", "expm1", "square"), ("log", "log1p", "sqrt"), ("abs", "square"), ("softmax", "log_softmax")],
    "torch.nn.functional": [("softmax", "log_softmax"), ("sigmoid", "logsigmoid")],
}


def _find_transforms(node: cst.Call, cursor: Cursor) -> Iterator[Change]:
    for change in renames(node, cursor, _TRANSFORMS):
        yield Change(change.target, change.becomes, f"{change.what} in {cursor.snippet(node)}")


TRANSFORMS = MutationFamily(
    name="transforms", idea="swap exp, log, sqrt and their like", nodes=(cst.Call,), find=_find_transforms
)


_OTHER_OPERATORS: dict[type[cst.CSTNode], tuple[str, str]] = {
    cst.Add: ("+", "-"),
    cst.Subtract: ("-", "+"),
    cst.Multiply: ("*", "/"),
    cst.Divide: ("/", "*"),
    cst.AddAssign: ("+=", "-="),
    cst.SubtractAssign: ("-=", "+="),
    cst.MultiplyAssign: ("*=", "/="),
    cst.DivideAssign: ("/=", "*="),
}

_NOT_ARITHMETIC = (cst.SimpleString, cst.FormattedString, cst.ConcatenatedString, cst.List, cst.Tuple, cst.ListComp)


def _find_operators(node: cst.BinaryOperation | cst.AugAssign, cursor: Cursor) -> Iterator[Change]:
    if type(node.operator) not in _OTHER_OPERATORS or not _is_arithmetic(node):
        return
    old, new = _OTHER_OPERATORS[type(node.operator)]
    yield Change(node.operator, new, f"{old} -> {new} in {cursor.snippet(node)}")


def _is_arithmetic(node: cst.BinaryOperation | cst.AugAssign) -> bool:
    """Whether an operation is about numbers; text and lists are joined by the same signs."""
    sides = (node.left, node.right) if isinstance(node, cst.BinaryOperation) else (node.value,)
    return not any(isinstance(side, _NOT_ARITHMETIC) for side in sides)


OPERATORS = MutationFamily(
    name="operators",
    idea="swap plus and minus, or times and divided by",
    nodes=(cst.BinaryOperation, cst.AugAssign),
    find=_find_operators,
    weight=0.2,
)


_OTHER_COMPARISONS: dict[type[cst.CSTNode], tuple[str, tuple[str, str]]] = {
    cst.LessThan: ("<", ("<=", ">")),
    cst.LessThanEqual: ("<=", ("<", ">=")),
    cst.GreaterThan: (">", (">=", "<")),
    cst.GreaterThanEqual: (">=", (">", "<=")),
}


def _find_comparisons(node: cst.Comparison, cursor: Cursor) -> Iterator[Change]:
    """Include or exclude the boundary, or reverse the comparison."""
    for target in node.comparisons:
        if type(target.operator) in _OTHER_COMPARISONS:
            old, choices = _OTHER_COMPARISONS[type(target.operator)]
            for new, weight in zip(choices, (1.0, 0.3), strict=True):
                yield Change(target.operator, new, f"{old} -> {new} in {cursor.snippet(node)}", weight)


COMPARISONS = MutationFamily(
    name="comparisons",
    idea="move the boundary of a comparison",
    nodes=(cst.Comparison,),
    find=_find_comparisons,
    weight=0.2,
)


def _find_branches(node: cst.IfExp | cst.If, cursor: Cursor) -> Iterator[Change]:
    """Always take one of two ways, or negate the test."""
    if _is_guard(node.test):
        return
    if isinstance(node, cst.IfExp):
        for way in (node.body, node.orelse):
            becomes = cursor.instead_of(node, cursor.text(way))
            yield Change(node, becomes, f"always {cursor.snippet(way)} in {cursor.snippet(node)}")
    else:
        test = cursor.operand(node.test)
        yield Change(node.test, f"not {test}", f"negate if {cursor.snippet(node.test)}", 0.5)


def _is_guard(test: cst.BaseExpression) -> bool:
    """Whether a test asks for types or missing values, where the other way can only crash."""
    match test:
        case cst.Call(func=cst.Name(value=name)):
            return name in {"isinstance", "hasattr", "callable", "issubclass"}
        case cst.Comparison(comparisons=[cst.ComparisonTarget(operator=operator)]):
            return isinstance(operator, cst.Is | cst.IsNot | cst.In | cst.NotIn)
        case cst.UnaryOperation(operator=cst.Not(), expression=inner):
            return _is_guard(inner)
        case _:
            return False


BRANCHES = MutationFamily(
    name="branches", idea="always take one of two ways", nodes=(cst.IfExp, cst.If), find=_find_branches, weight=0.2
)
