"""Wilson intervals of rates: they stay within 0 and 1 and do not collapse at either end."""

import math

from fmlbench.metrics.numerics import normal_quantile
from fmlbench.metrics.statistics.bootstrap import CONFIDENCE, Interval


def wilson(successes: int, n: int) -> Interval | None:
    """The Wilson interval of a rate; None if n is 0."""
    if not n:
        return None
    z = normal_quantile((1 + CONFIDENCE) / 2)
    rate = successes / n
    centre = (rate + z**2 / (2 * n)) / (1 + z**2 / n)
    reach = z / (1 + z**2 / n) * math.sqrt(rate * (1 - rate) / n + z**2 / (4 * n**2))
    return Interval(max(centre - reach, 0.0), min(centre + reach, 1.0))
