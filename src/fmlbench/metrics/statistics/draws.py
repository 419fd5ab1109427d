"""Whether a difference would survive other draws of the tests.

All runs of a task on a machine are retested on the same few draws, so more runs do not average away what those draws
happen to favour. How much they do shows in how the difference varies from draw to draw.
"""

import math

from fmlbench.metrics.numerics import t_quantile
from fmlbench.metrics.statistics.bootstrap import CONFIDENCE, Interval
from fmlbench.metrics.statistics.groups import Groups, scatter_within, task_mean


def interval_over_draws(differences: Groups) -> Interval | None:
    """Student's interval of the mean over tasks; each task has the mean difference on each of its draws."""
    scatter = scatter_within(differences)
    if scatter is None:
        return None
    freedom = sum(len(row) - 1 for row in differences.values())
    error = scatter * math.sqrt(sum(1 / len(row) for row in differences.values())) / len(differences)
    reach = t_quantile((1 + CONFIDENCE) / 2, freedom) * error
    mean = task_mean(differences)
    return Interval(mean - reach, mean + reach)
