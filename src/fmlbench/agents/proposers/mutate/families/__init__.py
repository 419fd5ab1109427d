"""The kinds of change there are; a new one is a file here and a line below."""

from fmlbench.agents.proposers.mutate.families.activations import ACTIVATIONS
from fmlbench.agents.proposers.mutate.families.booleans import BOOLEANS
from fmlbench.agents.proposers.mutate.families.branches import BRANCHES
from fmlbench.agents.proposers.mutate.families.columns import COLUMNS
from fmlbench.agents.proposers.mutate.families.comparisons import COMPARISONS
from fmlbench.agents.proposers.mutate.families.distances import DISTANCES
from fmlbench.agents.proposers.mutate.families.features import FEATURES
from fmlbench.agents.proposers.mutate.families.initialisers import INITIALISERS
from fmlbench.agents.proposers.mutate.families.layers import LAYERS
from fmlbench.agents.proposers.mutate.families.losses import LOSSES
from fmlbench.agents.proposers.mutate.families.norms import NORMS
from fmlbench.agents.proposers.mutate.families.numbers import NUMBERS
from fmlbench.agents.proposers.mutate.families.operators import OPERATORS
from fmlbench.agents.proposers.mutate.families.optimizers import OPTIMIZERS
from fmlbench.agents.proposers.mutate.families.options import OPTIONS
from fmlbench.agents.proposers.mutate.families.pooling import POOLING
from fmlbench.agents.proposers.mutate.families.reductions import REDUCTIONS
from fmlbench.agents.proposers.mutate.families.schedules import SCHEDULES
from fmlbench.agents.proposers.mutate.families.skips import SKIPS
from fmlbench.agents.proposers.mutate.families.temperatures import TEMPERATURES
from fmlbench.agents.proposers.mutate.families.terms import TERMS
from fmlbench.agents.proposers.mutate.families.transforms import TRANSFORMS
from fmlbench.agents.proposers.mutate.families.widths import WIDTHS
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
