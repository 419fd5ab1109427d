"""Losses: punish mistakes another way."""

from collections.abc import Iterator

import libcst as cst

from fmlbench.agents.proposers.mutate.calls import ANYWHERE, Groups, arguments_of, renames, rewritten
from fmlbench.agents.proposers.mutate.cursor import Cursor, called
from fmlbench.agents.proposers.mutate.family import Change, MutationFamily

_SAME_ARGUMENTS: Groups = {
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


def _find(node: cst.Call, cursor: Cursor) -> Iterator[Change]:
    name = called(node)
    smoothable = _LIKELIHOODS.get(name, name)
    arguments = arguments_of(node, cursor)
    if smoothable in _SMOOTHABLE and cursor.knows(node, smoothable) and "label_smoothing" not in arguments.named:
        for smoothing in ("0.02", "0.05", "0.1", "0.2"):
            smoothed = arguments.having(label_smoothing=smoothing)
            yield rewritten(node, cursor, smoothable, smoothed, f"{smoothable} with label_smoothing {smoothing}")
    if not set(arguments.named) - {"reduction", "input", "target", "weight"}:
        yield from renames(node, cursor, _SAME_ARGUMENTS)


LOSSES = MutationFamily(name="losses", idea="swap or smooth the loss", nodes=(cst.Call,), find=_find, weight=2.0)
