"""The kinds of change there are; a new one is a constant in one of these modules and a line below."""

from fmlbench.agents.proposers.mutate.families.expressions import (
    BRANCHES,
    COMPARISONS,
    OPERATORS,
    REDUCTIONS,
    TERMS,
    TRANSFORMS,
)
from fmlbench.agents.proposers.mutate.families.features import COLUMNS, FEATURES
from fmlbench.agents.proposers.mutate.families.hyperparameters import BOOLEANS, NUMBERS, OPTIONS, WIDTHS
from fmlbench.agents.proposers.mutate.families.layers import ACTIVATIONS, INITIALISERS, LAYERS, NORMS, POOLING, SKIPS
from fmlbench.agents.proposers.mutate.families.training import DISTANCES, LOSSES, OPTIMIZERS, SCHEDULES, TEMPERATURES
from fmlbench.agents.proposers.mutate.family import MutationFamily

FAMILIES: tuple[MutationFamily, ...] = (
    NUMBERS,
    WIDTHS,
    BOOLEANS,
    OPTIONS,
    OPTIMIZERS,
    SCHEDULES,
    LOSSES,
    ACTIVATIONS,
    NORMS,
    POOLING,
    INITIALISERS,
    DISTANCES,
    TEMPERATURES,
    FEATURES,
    COLUMNS,
    LAYERS,
    SKIPS,
    TERMS,
    REDUCTIONS,
    TRANSFORMS,
    OPERATORS,
    COMPARISONS,
    BRANCHES,
)
