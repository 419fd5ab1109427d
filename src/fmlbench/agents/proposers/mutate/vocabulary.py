"""What names in research code give away about the values behind them."""

import re

INERT = frozenset(
    {"seed", "random_state", "manual_seed", "verbose", "inplace", "pin_memory", "num_workers", "n_jobs", "device"}
    | {"non_blocking", "persistent_workers", "log_interval", "version", "__version__", "stacklevel", "indent"}
    | {"default_rng", "Random", "RandomState", "SeedSequence"}
    | {"exist_ok", "parents", "allow_pickle", "weights_only", "download", "disable", "dtype", "copy"}
)
"""Values that do not change the method, such as seeds and numbers of workers."""

SHAPES = frozenset(
    {"kernel_size", "padding", "stride", "dilation", "groups", "num_features", "normalized_shape"}
    | {"in_channels", "out_channels", "in_features", "out_features"}
)
"""Sizes that have to fit others: changing one alone mostly breaks the code."""

AXES = frozenset({"dim", "axis", "dims", "axes", "keepdim", "keepdims"})

TAKES_AXES = frozenset(
    {"softmax", "log_softmax", "mean", "sum", "std", "var", "norm", "median", "max", "min", "argmax", "argmin"}
    | {"squeeze", "unsqueeze", "cat", "stack", "concatenate", "permute", "transpose", "size", "view", "reshape"}
    | {
        "ones",
        "zeros",
        "full",
        "empty",
        "flatten",
        "expand",
        "repeat",
        "chunk",
        "split",
        "cumsum",
        "topk",
        "sort",
        "argsort",
        "getitem",
    }
)
"""Functions whose positional numbers are mostly axes and shapes."""

_HYPERPARAMETER = re.compile(
    r"(^|_)(lr|learning_rate|weight_decay|decay|momentum|temperature|tau|alpha|beta|betas|gamma|eps|epsilon|lam|lambda"
    r"|dropout|p|epochs|steps|iterations|iters|batch|batch_size|hidden|width|depth|layers|margin|sigma|scale|rate"
    r"|ratio|threshold|penalty|reg|strength|coef|coefficient|k|size|channels|dims|noise|smoothing|power|weight"
    r"|ways|shots|warmup|patience|factor|bandwidth|neighbors|components|degree|bins|trees)\d*(_|$)"
)
_FRACTION = re.compile(r"(^|_)(p|prob|probability|dropout|momentum|betas?\d?|rho|fraction|ratio|ema|smoothing)(_|$)")
_FEATURES = re.compile(r"feat|embed|repr|latent|hidden|proto|encod|activation|(^|_)[hz](_|$)")
_LOSS = re.compile(r"loss|cost|objective|penalty|regul|energy|(^|_)reg(_|$)|residual|grad|update")
_SCORES = re.compile(r"logit|score|distance|dist(_|$)|similarit|affinit|energ|(^|_)sims?(_|$)")


def is_hyperparameter(name: str) -> bool:
    """Whether a name looks like a knob of the method; what is written in capitals was meant to be turned."""
    return name.isupper() or bool(_HYPERPARAMETER.search(name.lower()))


def is_fraction(name: str) -> bool:
    """Whether a value of that name must stay below one."""
    return bool(_FRACTION.search(name.lower()))


def is_features(name: str) -> bool:
    """Whether a name looks like vectors that represent inputs."""
    return bool(_FEATURES.search(name.lower()))


def is_loss(name: str) -> bool:
    """Whether a name looks like something to be minimised, or a step on the way there."""
    return bool(_LOSS.search(name.lower()))


def is_scores(name: str) -> bool:
    """Whether a name looks like scores of classes or pairs before they are compared."""
    return bool(_SCORES.search(name.lower()))
