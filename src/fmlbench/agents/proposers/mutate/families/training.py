"""Changes of how a model is trained and compared: losses, distances, the scale of scores, optimisers, schedules."""

import re
from collections.abc import Iterator

import libcst as cst

from fmlbench.agents.proposers.mutate.family import (
    ANYWHERE,
    Arguments,
    Change,
    Groups,
    MutationFamily,
    arguments_of,
    renames,
    rewritten,
)
from fmlbench.agents.proposers.mutate.source import Cursor, called
from fmlbench.agents.proposers.mutate.vocabulary import is_scores

_INTERCHANGEABLE_LOSSES: Groups = {
    ANYWHERE: [
        ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss"),
        ("MSELoss", "L1Loss", "SmoothL1Loss", "HuberLoss"),
        ("cross_entropy", "multi_margin_loss"),
        ("CrossEntropyLoss", "MultiMarginLoss"),
    ],
}

_SMOOTHABLE = frozenset({"cross_entropy", "CrossEntropyLoss"})
# Logarithms of probabilities are unchanged by another softmax, so cross_entropy takes them too.
_LIKELIHOODS = {"nll_loss": "cross_entropy", "NLLLoss": "CrossEntropyLoss"}


def _find_losses(node: cst.Call, cursor: Cursor) -> Iterator[Change]:
    name = called(node)
    smoothable = _LIKELIHOODS.get(name, name)
    arguments = arguments_of(node, cursor)
    if smoothable in _SMOOTHABLE and cursor.knows(node, smoothable) and "label_smoothing" not in arguments.named:
        for smoothing in ("0.02", "0.05", "0.1", "0.2"):
            smoothed = arguments.having(label_smoothing=smoothing)
            yield rewritten(node, cursor, smoothable, smoothed, f"{smoothable} with label_smoothing {smoothing}")
    if not set(arguments.named) - {"reduction", "input", "target", "weight"}:
        yield from renames(node, cursor, _INTERCHANGEABLE_LOSSES)


LOSSES = MutationFamily(name="losses", idea="swap or smooth the loss", nodes=(cst.Call,), find=_find_losses, weight=2.0)


_MEASURES = ("l2", "l1", "euclidean", "cosine", "dot", "manhattan", "mahalanobis", "rbf", "bilinear")
_MEASURE_IN_NAME = re.compile(rf"(?:^|(?<=_))(?:{'|'.join(_MEASURES)})(?=_|$)")

# As SciPy and scikit-learn spell them.
_METRICS = ("euclidean", "sqeuclidean", "cityblock", "cosine", "correlation")


def _find_distances(node: cst.Call | cst.SimpleString, cursor: Cursor) -> Iterator[Change]:
    if isinstance(node, cst.SimpleString):
        yield from _metric_names(node)
        return
    yield from _twins(node, cursor)
    yield from _orders(node, cursor)
    yield from _similarities(node, cursor)


def _twins(node: cst.Call, cursor: Cursor) -> Iterator[Change]:
    """``self.l2_distance(x)`` -> ``self.cosine_distance(x)``, where the code has both."""
    name = called(node)
    target = node.func.attr if isinstance(node.func, cst.Attribute) else node.func
    for measure in _MEASURES:
        twin = _MEASURE_IN_NAME.sub(measure, name)
        if twin != name and twin in cursor.source.defined:
            yield Change(target, twin, f"{name} -> {twin}", 4.0)


def _orders(node: cst.Call, cursor: Cursor) -> Iterator[Change]:
    """``cdist(a, b)`` in another order, or squared."""
    name, arguments = called(node), arguments_of(node, cursor)
    if name in {"cdist", "pairwise_distance"} and len(arguments.positional) == 2 and "p" not in arguments.named:
        for order in ("0.5", "1.0", "1.5", "3.0"):
            ordered = arguments.having(p=order)
            yield rewritten(node, cursor, name, ordered, f"{name} of order {order}")
        yield Change(node, cursor.instead_of(node, f"{cursor.text(node.func)}({arguments}) ** 2"), f"{name} squared")
    if cursor.module_of(node) == "numpy.linalg" and name == "norm" and "axis" in arguments.named:
        yield rewritten(node, cursor, name, arguments.having(ord="1"), "norm of order 1")


def _similarities(node: cst.Call, cursor: Cursor) -> Iterator[Change]:
    arguments = arguments_of(node, cursor).only(first=2, names=())
    if called(node) == "cosine_similarity" and cursor.module_of(node) == "torch.nn.functional":
        instead = f"-{cursor.renamed(node, 'pairwise_distance')}({arguments})"
        yield Change(node, cursor.instead_of(node, instead), "cosine_similarity -> -pairwise_distance")
    if called(node) == "pairwise_distance" and cursor.module_of(node) == "torch.nn.functional":
        instead = f"1 - {cursor.renamed(node, 'cosine_similarity')}({arguments})"
        yield Change(node, cursor.instead_of(node, instead), "pairwise_distance -> 1 - cosine_similarity")


def _metric_names(node: cst.SimpleString) -> Iterator[Change]:
    name = node.evaluated_value
    if name in _METRICS:
        quote = node.quote
        for other in _METRICS:
            if other != name:
                yield Change(node, f"{quote}{other}{quote}", f"{name} -> {other}")


DISTANCES = MutationFamily(
    name="distances",
    idea="compare by another measure",
    nodes=(cst.Call, cst.SimpleString),
    find=_find_distances,
    weight=2.0,
)


_SCALES = ("0.1", "0.5", "2.0", "5.0", "10.0")
_SOFT = frozenset({"softmax", "log_softmax", "cross_entropy", "logsumexp", "gumbel_softmax"})


def _find_temperatures(node: cst.Call | cst.Assign, cursor: Cursor) -> Iterator[Change]:
    """Scale scores before they are compared."""
    scores = _scores_in(node, cursor)
    if scores is not None:
        words = cursor.operand(scores)
        for factor in _SCALES:
            what = f"scale {cursor.snippet(scores)} by {factor}"
            becomes = f"{factor} * {words}"
            yield Change(scores, becomes if _stands_free(node, scores) else f"({becomes})", what)


def _scores_in(node: cst.Call | cst.Assign, cursor: Cursor) -> cst.BaseExpression | None:
    """The expression in a statement or call that holds scores."""
    match node:
        case cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name))], value=value):
            return value if is_scores(name) and not isinstance(value, cst.Tuple | cst.List | cst.Dict) else None
        case cst.Call(func=cst.Attribute(value=scores)) if called(node) in _SOFT and _is_method_of(
            scores, node, cursor
        ):
            return scores
        case cst.Call(args=[cst.Arg(keyword=None, star="", value=scores), *_]) if called(node) in _SOFT:
            return scores
        case _:
            return None


def _is_method_of(scores: cst.BaseExpression, call: cst.Call, cursor: Cursor) -> bool:
    """Whether ``scores.softmax()`` is meant, rather than a module's function or a layer of the model."""
    return not cursor.module_of(call) and cursor.text(scores) != "self"


def _stands_free(node: cst.Call | cst.Assign, scores: cst.BaseExpression) -> bool:
    is_callee = isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute) and node.func.value is scores
    return bool(scores.lpar) or not is_callee


TEMPERATURES = MutationFamily(
    name="temperatures", idea="sharpen or flatten scores", nodes=(cst.Call, cst.Assign), find=_find_temperatures
)


_ADAM = frozenset({"params", "lr", "betas", "eps", "weight_decay", "amsgrad"})

_ACCEPTS = {
    "SGD": frozenset({"params", "lr", "momentum", "dampening", "weight_decay", "nesterov"}),
    "RMSprop": frozenset({"params", "lr", "alpha", "eps", "weight_decay", "momentum", "centered"}),
    "Adagrad": frozenset({"params", "lr", "lr_decay", "eps", "weight_decay"}),
    "Adam": _ADAM,
    "AdamW": _ADAM,
    "NAdam": _ADAM - {"amsgrad"},
    "RAdam": _ADAM - {"amsgrad"},
}
"""Keyword arguments by optimiser; all take the parameters and the learning rate first."""

_ADAPTIVE = frozenset(_ACCEPTS) - {"SGD"}


def _find_optimizers(node: cst.Call, cursor: Cursor) -> Iterator[Change]:
    """Another optimiser, with the learning rate that it usually takes."""
    name = called(node)
    if name not in _ACCEPTS:
        return
    arguments = arguments_of(node, cursor)
    if not arguments.is_plain or arguments.get(0, "params") is None:
        return
    for other, accepts in _ACCEPTS.items():
        if other == name or not cursor.knows(node, other):
            continue
        kept = arguments.only(first=2, names=accepts)
        yield rewritten(node, cursor, other, kept, f"{name} -> {other}")
        if (name in _ADAPTIVE) != (other in _ADAPTIVE) and kept.get(1, "lr") is not None:
            factor = "0.1" if other in _ADAPTIVE else "10"
            what = f"{name} -> {other} at {factor} times the learning rate"
            yield rewritten(node, cursor, other, _at_rate(kept, factor), what)
    if name == "SGD" and "momentum" not in arguments.named and len(arguments.positional) < 3:
        yield rewritten(node, cursor, "SGD", arguments.having(momentum="0.9"), "SGD with momentum 0.9")


def _at_rate(arguments: Arguments, factor: str) -> Arguments:
    params, rate = arguments.get(0, "params"), arguments.get(1, "lr")
    named = {name: value for name, value in arguments.named.items() if name not in {"params", "lr"}}
    return Arguments((str(params),), {"lr": f"{factor} * ({rate})", **named}, is_plain=True)


OPTIMIZERS = MutationFamily(
    name="optimizers", idea="swap the optimiser", nodes=(cst.Call,), find=_find_optimizers, weight=2.0
)


def _find_schedules(node: cst.Call, cursor: Cursor) -> Iterator[Change]:
    """Another curve of the learning rate over about the same time."""
    arguments = arguments_of(node, cursor)
    optimizer = arguments.get(0, "optimizer")
    horizon = _horizon(called(node), arguments)
    if optimizer is None or horizon is None or not arguments.is_plain:
        return
    curves = {
        "CosineAnnealingLR": f"T_max={horizon}",
        "StepLR": f"step_size=max(1, ({horizon}) // 3), gamma=0.1",
        "ExponentialLR": f"gamma=0.01 ** (1 / ({horizon}))",
        "LinearLR": f"start_factor=1.0, end_factor=0.01, total_iters={horizon}",
    }
    for name, settings in curves.items():
        if name != called(node) and cursor.knows(node, name):
            yield rewritten(node, cursor, name, f"{optimizer}, {settings}", f"{called(node)} -> {name}")


def _horizon(schedule: str, arguments: Arguments) -> str | None:
    """How many ticks a schedule is laid out for, as an expression; None if it does not say."""
    match schedule:
        case "CosineAnnealingLR":
            return arguments.get(1, "T_max")
        case "LinearLR":
            return arguments.named.get("total_iters")
        case "StepLR":
            step = arguments.get(1, "step_size")
            return None if step is None else f"3 * ({step})"
        case "MultiStepLR":
            milestones = arguments.get(1, "milestones")
            return None if milestones is None else f"max({milestones})"
        case "ExponentialLR":
            return "100"
        case _:
            return None


SCHEDULES = MutationFamily(
    name="schedules", idea="swap the learning-rate schedule", nodes=(cst.Call,), find=_find_schedules, weight=2.0
)
