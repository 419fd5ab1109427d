"""Changes of a network: activations, normalisation, pooling, initial weights, and the layers themselves."""

import re
from collections.abc import Iterator, Sequence

import libcst as cst

from fmlbench.agents.proposers.mutate.family import (
    ANYWHERE,
    METHOD,
    Arguments,
    Change,
    Groups,
    MutationFamily,
    arguments_of,
    renames,
    rewritten,
    stand_ins,
)
from fmlbench.agents.proposers.mutate.source import Cursor, Span, called

_INTERCHANGEABLE_ACTIVATIONS: Groups = {
    ANYWHERE: [("Tanh", "Sigmoid", "Softsign", "GELU", "Softplus", "Mish")],
    "torch.nn.functional": [("relu", "gelu", "silu", "elu", "leaky_relu", "softplus", "tanh")],
    "torch": [("relu", "tanh", "sigmoid")],
    "numpy": [("tanh", "arctan", "sin", "arcsinh")],
    "math": [("tanh", "atan", "sin", "erf")],
    METHOD: [("relu", "tanh", "sigmoid")],
}

# These take different arguments, so they are swapped with none at all.
_ACTIVATION_MODULES = ("ReLU", "GELU", "SiLU", "LeakyReLU", "ELU", "Tanh", "Mish", "Hardswish", "ReLU6")


def _find_activations(node: cst.Call, cursor: Cursor) -> Iterator[Change]:
    name = called(node)
    if name in _ACTIVATION_MODULES:
        for other in _ACTIVATION_MODULES:
            if other != name and cursor.knows(node, other):
                yield Change(node, f"{cursor.renamed(node, other)}()", f"{name} -> {other}")
    else:
        yield from renames(node, cursor, _INTERCHANGEABLE_ACTIVATIONS)
    yield from _rectifiers(node, cursor)


def _rectifiers(node: cst.Call, cursor: Cursor) -> Iterator[Change]:
    """NumPy has no relu: it is written as a maximum with zero."""
    if cursor.module_of(node) != "numpy":
        return
    arguments = arguments_of(node, cursor)
    first = arguments.get(0)
    if called(node) == "tanh" and first is not None:
        yield Change(node, f"{cursor.renamed(node, 'maximum')}({first}, 0.0)", "tanh -> relu")
    if called(node) == "maximum" and arguments.get(1) in {"0", "0.0"}:
        yield Change(node, f"{cursor.renamed(node, 'tanh')}({first})", "relu -> tanh")
        yield Change(node, f"{cursor.renamed(node, 'maximum')}({first}, 0.1 * ({first}))", "relu -> leaky relu")


ACTIVATIONS = MutationFamily(
    name="activations", idea="swap an activation function", nodes=(cst.Call,), find=_find_activations, weight=2.0
)


_SPATIAL_NORM = re.compile(r"(BatchNorm|InstanceNorm)([123])d")


def _find_norms(node: cst.Call, cursor: Cursor) -> Iterator[Change]:
    """Normalise over the batch, over groups, over each example, or not at all."""
    arguments = arguments_of(node, cursor)
    if arguments.is_plain:
        for name, settings in _norm_choices(called(node), arguments):
            if name != called(node) and cursor.knows(node, name):
                yield rewritten(node, cursor, name, settings)


def _norm_choices(name: str, arguments: Arguments) -> Iterator[tuple[str, str]]:
    channels = _norm_channels(name, arguments)
    if channels is None:
        return
    yield "Identity", ""
    spatial = _SPATIAL_NORM.fullmatch(name)
    if spatial or name == "GroupNorm":
        dims = spatial[2] if spatial else "2"
        yield f"BatchNorm{dims}d", channels
        yield f"InstanceNorm{dims}d", f"{channels}, affine=True"
        yield "GroupNorm", f"{_norm_groups(channels)}, {channels}"
    if name == "BatchNorm1d":
        yield "LayerNorm", channels
    if name == "LayerNorm":
        yield "RMSNorm", channels


def _norm_channels(name: str, arguments: Arguments) -> str | None:
    if _SPATIAL_NORM.fullmatch(name):
        return arguments.get(0, "num_features")
    if name == "GroupNorm":
        return arguments.get(1, "num_channels")
    return arguments.get(0, "normalized_shape") if name == "LayerNorm" else None


def _norm_groups(channels: str) -> int:
    """How many groups surely divide the channels."""
    return 8 if channels.isdecimal() and int(channels) % 8 == 0 else 1


NORMS = MutationFamily(
    name="norms", idea="swap or drop a normalisation layer", nodes=(cst.Call,), find=_find_norms, weight=2.0
)


_POOLING_PAIRS: Groups = {
    ANYWHERE: [
        pair
        for d in "123"
        for pair in (
            (f"MaxPool{d}d", f"AvgPool{d}d"),
            (f"AdaptiveMaxPool{d}d", f"AdaptiveAvgPool{d}d"),
            (f"max_pool{d}d", f"avg_pool{d}d"),
            (f"adaptive_max_pool{d}d", f"adaptive_avg_pool{d}d"),
        )
    ]
}

_POOLING_ARGUMENTS = frozenset({"input", "kernel_size", "stride", "padding", "ceil_mode", "output_size"})


def _find_pooling(node: cst.Call, cursor: Cursor) -> Iterator[Change]:
    arguments = arguments_of(node, cursor)
    for name in stand_ins(node, cursor, _POOLING_PAIRS):
        yield rewritten(node, cursor, name, arguments.only(first=4, names=_POOLING_ARGUMENTS))


POOLING = MutationFamily(name="pooling", idea="swap maximum and average pooling", nodes=(cst.Call,), find=_find_pooling)


_INITIAL_SCHEMES: Groups = {
    ANYWHERE: [
        ("kaiming_normal_", "kaiming_uniform_", "xavier_normal_", "xavier_uniform_", "orthogonal_"),
    ]
}

_INITIAL_DRAWS: Groups = {
    METHOD: [("standard_normal", "random"), ("normal", "laplace")],
    "numpy.random": [("randn", "rand"), ("normal", "laplace")],
    "torch": [("randn", "rand"), ("randn_like", "rand_like"), ("zeros", "randn")],
}


def _find_initialisers(node: cst.Call, cursor: Cursor) -> Iterator[Change]:
    arguments = arguments_of(node, cursor)
    for name in stand_ins(node, cursor, _INITIAL_SCHEMES):
        yield rewritten(node, cursor, name, arguments.only(first=1, names={"tensor"}))
    yield from renames(node, cursor, _INITIAL_DRAWS)


INITIALISERS = MutationFamily(
    name="initialisers", idea="change the initialisation of weights", nodes=(cst.Call,), find=_find_initialisers
)


_SHAPE_KEEPING_LAYERS = re.compile(
    r"ReLU|GELU|SiLU|ELU|Tanh|Sigmoid|Mish|Softplus|Norm|Dropout|Identity|Random|Jitter|Blur"
)
_LIKELY, _UNLIKELY = 1.0, 0.2

_StackItem = cst.Arg | cst.BaseElement


def _find_layers(node: cst.Call | cst.List, cursor: Cursor) -> Iterator[Change]:
    """Leave one layer out of a stack, or put it in twice."""
    items = _stack(node)
    if len(items) < 2:
        return
    for index, item in enumerate(items):
        layer = cst.ensure_type(item.value, cst.Call)
        words = cursor.text(item)
        weight = _LIKELY if _keeps_shape(layer, cursor) else _UNLIKELY
        yield Change(_span_to_drop(items, index, cursor), "", f"drop {cursor.snippet(layer)}", weight)
        yield Change(item, f"{words}, {words}", f"two times {cursor.snippet(layer)}", weight)


def _stack(node: cst.Call | cst.List) -> Sequence[_StackItem]:
    """The layers of a stack; none if it is not one."""
    if isinstance(node, cst.Call):
        items: Sequence[_StackItem] = node.args if called(node) in {"Sequential", "Compose"} else ()
        is_plain = all(arg.keyword is None and not arg.star for arg in node.args)
    else:
        items, is_plain = node.elements, True
    return items if is_plain and all(isinstance(item.value, cst.Call) for item in items) else ()


def _keeps_shape(layer: cst.Call, cursor: Cursor) -> bool:
    """Whether a layer can be left out or repeated without its neighbours noticing."""
    if _SHAPE_KEEPING_LAYERS.search(called(layer)):
        return True
    sizes = [cursor.text(arg.value) for arg in layer.args[:2]]
    return len(sizes) == 2 and sizes[0] == sizes[1]


def _span_to_drop(items: Sequence[_StackItem], index: int, cursor: Cursor) -> Span:
    """An item with the comma that sets it apart."""
    span = cursor.source.span
    if index + 1 < len(items):
        return Span(span(items[index]).start, span(items[index + 1]).start)
    return Span(span(items[index - 1]).end, span(items[index]).end)


LAYERS = MutationFamily(
    name="layers", idea="drop or duplicate a layer", nodes=(cst.Call, cst.List), find=_find_layers, weight=2.0
)


_LIBRARIES = frozenset({"torch", "torch.nn.functional", "numpy"})
_SHAPE_KEEPING_FUNCTIONS = frozenset(
    {"relu", "gelu", "silu", "elu", "leaky_relu", "softplus", "tanh", "sigmoid", "normalize", "dropout", "log_softmax"}
    | {"exp", "expm1", "log", "log1p", "sqrt", "abs", "square", "sign", "sin", "cos", "arctan", "softmax"}
)


def _find_skips(node: cst.Call, cursor: Cursor) -> Iterator[Change]:
    """``self.block(x)`` -> ``x``, ``self.block(self.block(x))`` or ``x + self.block(x)``."""
    match node:
        case cst.Call(args=[cst.Arg(keyword=None, star="", value=value)]) if _is_step(node, cursor):
            call, step, x = cursor.text(node), cursor.text(node.func), cursor.text(value)
        case _:
            return
    name = cursor.snippet(node.func)
    yield Change(node, cursor.operand(value), f"skip {name}")
    yield Change(node, f"{step}({step}({x}))", f"{name} twice", 0.5)
    if isinstance(value, cst.Name | cst.Attribute):
        inner = f"{step}({x})" if node.lpar else call
        yield Change(node, cursor.instead_of(node, f"{x} + {inner}"), f"add a skip connection past {name}")


def _is_step(node: cst.Call, cursor: Cursor) -> bool:
    """Whether a call looks like one layer of many: a part of the model, or a function of a numerical library."""
    match node.func:
        case cst.Attribute(value=cst.Name(value="self"), attr=cst.Name(value=name)):
            return not name.startswith("_") and not isinstance(cursor.parent, cst.Expr)
        case _:
            return called(node) in _SHAPE_KEEPING_FUNCTIONS and cursor.module_of(node) in _LIBRARIES


SKIPS = MutationFamily(
    name="skips", idea="skip a step of a computation, or lead past it", nodes=(cst.Call,), find=_find_skips
)
