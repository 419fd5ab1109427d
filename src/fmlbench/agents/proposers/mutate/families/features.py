"""Changes of the data inside a model: the vectors that represent inputs, and the columns of a table."""

from collections.abc import Iterator, Mapping, Sequence

import libcst as cst

from fmlbench.agents.proposers.mutate.family import Change, MutationFamily
from fmlbench.agents.proposers.mutate.source import Cursor, Source, called
from fmlbench.agents.proposers.mutate.vocabulary import is_features

# Methods of tensors only, so that nothing has to be imported.
_TORCH_TRANSFORMS = {
    "normalise": "{x} / {x}.norm(dim=-1, keepdim=True).clamp_min(1e-12)",
    "centre": "{x} - {x}.mean(dim=0, keepdim=True)",
    "standardise": "({x} - {x}.mean(dim=-1, keepdim=True)) / ({x}.std(dim=-1, keepdim=True) + 1e-6)",
    "take the signed square root of": "{x}.sign() * ({x}.abs() + 1e-6).sqrt()",
    "rectify": "{x}.clamp_min(0)",
}

_NUMPY_TRANSFORMS = {
    "normalise": "{x} / ({np}.linalg.norm({x}, axis=-1, keepdims=True) + 1e-12)",
    "centre": "{x} - {np}.mean({x}, axis=0, keepdims=True)",
    "standardise": "({x} - {np}.mean({x}, axis=-1, keepdims=True)) / ({np}.std({x}, axis=-1, keepdims=True) + 1e-6)",
    "take the signed square root of": "{np}.sign({x}) * {np}.sqrt({np}.abs({x}))",
    "rectify": "{np}.maximum({x}, 0.0)",
}


def _find_features(node: cst.Assign | cst.Return, cursor: Cursor) -> Iterator[Change]:
    # A statement can only be added after one that has a separate line; constructors contain placeholders.
    is_alone = isinstance(cursor.parent, cst.SimpleStatementLine) and len(cursor.parent.body) == 1
    if not is_alone or cursor.scope == "__init__":
        return
    match node:
        case cst.Assign(targets=[cst.AssignTarget(target=cst.Name() | cst.Attribute() as target)]):
            yield from _after_assignment(node, target, cursor)
        case cst.Return(value=cst.BaseExpression() as value):
            yield from _before_return(node, value, cursor)
        case _:
            return


def _after_assignment(node: cst.Assign, target: cst.Name | cst.Attribute, cursor: Cursor) -> Iterator[Change]:
    name = target.attr.value if isinstance(target, cst.Attribute) else target.value
    if not is_features(name) or not isinstance(node.value, cst.Call | cst.BinaryOperation | cst.Subscript):
        return
    x = cursor.text(target)
    for what, expression in _transforms(x, cursor.source).items():
        becomes = f"{cursor.text(node)}\n{cursor.source.indent(node)}{x} = {expression}"
        yield Change(node, becomes, f"{what} {x}")


def _before_return(node: cst.Return, value: cst.BaseExpression, cursor: Cursor) -> Iterator[Change]:
    x = cursor.text(value) if isinstance(value, cst.Name) else "features"
    if not (is_features(cursor.scope) or (isinstance(value, cst.Name) and is_features(x))):
        return
    if not isinstance(value, cst.Name | cst.Call | cst.BinaryOperation):
        return
    first = "" if isinstance(value, cst.Name) else f"{x} = {cursor.text(value)}\n{cursor.source.indent(node)}"
    for what, expression in _transforms(x, cursor.source).items():
        yield Change(node, f"{first}return {expression}", f"{what} {cursor.snippet(value)} before it is returned")


def _transforms(x: str, source: Source) -> Mapping[str, str]:
    if source.uses("torch"):
        return {what: template.format(x=x) for what, template in _TORCH_TRANSFORMS.items()}
    numpy = source.alias("numpy")
    if numpy is not None:
        return {what: template.format(x=x, np=numpy) for what, template in _NUMPY_TRANSFORMS.items()}
    return {}


FEATURES = MutationFamily(
    name="features",
    idea="normalise, centre or reshape features",
    nodes=(cst.Assign, cst.Return),
    find=_find_features,
    weight=2.0,
)


_JOINS = frozenset({"hstack", "column_stack", "concatenate", "concat", "cat"})

_TORCH_COLUMNS = {
    "the squares of": "{x} ** 2",
    "the absolute values of": "{x}.abs()",
    "the products of neighbours in": "{x} * {x}.roll(1, -1)",
    "the products of second neighbours in": "{x} * {x}.roll(2, -1)",
}

_NUMPY_COLUMNS = {
    "the squares of": "{x} ** 2",
    "the absolute values of": "{np}.abs({x})",
    "the products of neighbours in": "{x} * {np}.roll({x}, 1, axis=-1)",
    "the products of second neighbours in": "{x} * {np}.roll({x}, 2, axis=-1)",
}


def _find_columns(node: cst.Call, cursor: Cursor) -> Iterator[Change]:
    for item in _joined(node):
        if isinstance(item.value, cst.Name | cst.Attribute):
            x = cursor.text(item.value)
            for what, template in _column_templates(cursor).items():
                added = template.format(x=x, np=cursor.source.alias("numpy"))
                yield Change(item, f"{x}, {added}", f"add {what} {x}")


def _joined(node: cst.Call) -> Sequence[cst.BaseElement]:
    """The arrays that a call sets side by side."""
    match node:
        case cst.Call(args=[cst.Arg(keyword=None, star="", value=cst.List() | cst.Tuple() as arrays), *_]):
            return arrays.elements if called(node) in _JOINS else ()
        case _:
            return ()


def _column_templates(cursor: Cursor) -> Mapping[str, str]:
    if cursor.source.uses("torch"):
        return _TORCH_COLUMNS
    return _NUMPY_COLUMNS if cursor.source.alias("numpy") else {}


COLUMNS = MutationFamily(
    name="columns", idea="put functions of some columns beside them", nodes=(cst.Call,), find=_find_columns
)
