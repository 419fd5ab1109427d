"""Intervals by drawing the values again.

Two questions, two intervals. On these tasks: seeds are drawn again within each task. On tasks like these: tasks are
drawn again too, and then seeds within them. The second is wider, and with few tasks much wider.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from fmlbench.metrics.statistics.groups import Groups, task_mean

REPETITIONS = 2000
CONFIDENCE = 0.95

Statistic = Callable[[Groups], float]


@dataclass(frozen=True)
class Interval:
    """A range that holds the true value with the confidence of 95%."""

    low: float
    high: float


def bootstrap(
    groups: Groups,
    rng: np.random.Generator,
    *,
    new_tasks: bool,
    statistic: Statistic = task_mean,
    repetitions: int = REPETITIONS,
) -> Interval | None:
    """The percentile interval of a statistic; None where there is nothing to draw again."""
    names = list(groups)
    varied = len(names) > 1 if new_tasks else any(len(values) > 1 for values in groups.values())
    if not varied:
        return None
    arrays = [np.asarray(groups[name], dtype=np.float64) for name in names]
    drawn: list[float] = []
    for _ in range(repetitions):
        chosen = rng.integers(len(names), size=len(names)) if new_tasks else range(len(names))
        again = {
            f"{place}": arrays[task][rng.integers(len(arrays[task]), size=len(arrays[task]))]
            for place, task in enumerate(chosen)
        }
        drawn.append(statistic(again))  # pyright: ignore[reportArgumentType] - an array serves as a sequence
    low, high = np.quantile(drawn, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    return Interval(float(low), float(high))
