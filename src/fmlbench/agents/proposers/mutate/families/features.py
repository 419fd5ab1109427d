"""Features: normalise, centre or reshape the vectors that represent inputs."""

from collections.abc import Iterator, Mapping

import libcst as cst

from fmlbench.agents.proposers.mutate.cursor import Cursor
from fmlbench.agents.proposers.mutate.family import Change, MutationFamily
from fmlbench.agents.proposers.mutate.source import Source
from fmlbench.agents.proposers.mutate.vocabulary import is_features

# Methods of tensors only, so that nothing has to be imported.
_TORCH = {
    "normalise": "{x} / {x}.norm(dim=-1, keepdim=True).clamp_min(1e-12)",
    "centre": "{x} - {x}.mean(dim=0, keepdim=True)",
    "standardise": "({x} - {x}.mean(dim=-1, keepdim=True)) / ({x}.std(dim=-1, keepdim=True) + 1e-6)",
    "take the signed square root of": "{x}.sign() * ({x}.abs() + 1e-6).sqrt()",
    "rectify": "{x}.clamp_min(0)",
}

_NUMPY = {
    "normalise": "{x} / ({np}.linalg.norm({x}, axis=-1, keepdims=True) + 1e-12)",
    "centre": "{x} - {np}.mean({x}, axis=0, keepdims=True)",
    "standardise": "({x} - {np}.mean({x}, axis=-1, keepdims=True)) / ({np}.std({x}, axis=-1, keepdims=True) + 1e-6)",
    "take the signed square root of": "{np}.sign({x}) * {np}.sqrt({np}.abs({x}))",
    "rectify": "{np}.maximum({x}, 0.0)",
}


def _find(node: cst.Assign | cst.Return, cursor: Cursor) -> Iterator[Change]:
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
        return {what: template.format(x=x) for what, template in _TORCH.items()}
    numpy = source.alias("numpy")
    if numpy is not None:
        return {what: template.format(x=x, np=numpy) for what, template in _NUMPY.items()}
    return {}


FEATURES = MutationFamily(
    name="features",
    idea="normalise, centre or reshape features",
    nodes=(cst.Assign, cst.Return),
    find=_find,
    weight=2.0,
)
