"""The false-positive rate and the power of 'compare'.

    python benchmarks/aa.py [COMPARISONS [LINES...]]

A/A: two identical agents are compared many times; at most 6.5% of the verdicts may be "different". Power: two agents
that differ by one sigma of their runs' scatter are first compared on a few seeds; then new runs on as many seeds as
that comparison recommends must detect the difference in at least 75%. Runs are simulated, with tasks of different
difficulty and noise, and scores that are normal, skewed, or mostly stuck at the baseline as real ones are. In the lines
"retests", half or most of the noise of a run comes from its three retests and not from its search.
"""

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from fmlbench.core.run import AgentSpec, Budget, Isolation, RunSpec
from fmlbench.metrics.catalogue import MEASURES
from fmlbench.metrics.comparison import Comparison, ComparisonVerdict, compare_all
from fmlbench.metrics.measured_run import MeasuredRun
from fmlbench.metrics.trace import Vectors

MOST_FALSE, LEAST_FOUND = 0.065, 0.75

Noise = Callable[[np.random.Generator, int], Vectors]

NOISES: Mapping[str, Noise] = {
    "normal": lambda rng, n: rng.normal(size=n),
    "skewed": lambda rng, n: rng.exponential(size=n) - 1,
    "mostly stuck": lambda rng, n: np.where(rng.random(n) < 0.5, 0.0, rng.normal(size=n) * 2**0.5),
}
"""Each with standard deviation one."""

RETESTS = 3
SHARES: Mapping[str, float] = {"retests, half": 0.5, "retests, 90%": 0.9}
"""How much of a run's variance comes from its retests."""

SIZES = ((1, 8), (8, 3), (3, 5))
"""Tasks and seeds of the A/A test; the same tasks and a pilot of five seeds for power."""


@dataclass(frozen=True)
class World:
    """How runs scatter: with standard deviation one within each task, some of it from the retests."""

    noise: Noise
    from_retests: float = 0.0

    def runs(self, rng: np.random.Generator, task: int, seeds: int, level: float) -> list[MeasuredRun]:
        """The runs of an agent that reaches ``level`` on average."""
        found = level + self.noise(rng, seeds) * (1 - self.from_retests) ** 0.5
        if not self.from_retests:
            return [measured(task, seed, float(value)) for seed, value in enumerate(found)]
        noise = rng.normal(size=(seeds, RETESTS)) * (self.from_retests * RETESTS) ** 0.5
        return [retested(task, seed, found[seed] + noise[seed]) for seed in range(seeds)]


WORLDS: Mapping[str, World] = {
    **{name: World(noise) for name, noise in NOISES.items()},
    **{name: World(NOISES["normal"], share) for name, share in SHARES.items()},
}


def measured(task: int, seed: int, value: float) -> MeasuredRun:
    spec = RunSpec(
        task=f"task-{task}",
        task_digest="0" * 64,
        track="cpu",
        agent=AgentSpec(name="made up", strategy="none", proposer="none"),
        seed=seed,
        budget=Budget(steps=8),
        isolation=Isolation.BUBBLEWRAP,
    )
    return MeasuredRun(
        spec, f"task-{task}", is_over=True, embedder=None, values={measure.name: value for measure in MEASURES}
    )


def retested(task: int, seed: int, scores: Vectors) -> MeasuredRun:
    by_retest = {draw: float(score) for draw, score in enumerate(scores)}
    return replace(measured(task, seed, float(scores.mean())), by_retest=by_retest)


def agent(rng: np.random.Generator, world: World, tasks: int, seeds: int, better: float) -> list[MeasuredRun]:
    """Runs on tasks of different difficulty, and a shift."""
    return [run for task in range(tasks) for run in world.runs(rng, task, seeds, 0.3 * task + better)]


def compared(rng: np.random.Generator, world: World, tasks: int, seeds: int, better: float) -> Comparison:
    pair = {"a": agent(rng, world, tasks, seeds, better), "b": agent(rng, world, tasks, seeds, 0.0)}
    return compare_all(pair)[0]


def false_alarms(rng: np.random.Generator, world: World, tasks: int, seeds: int, count: int) -> float:
    found = [compared(rng, world, tasks, seeds, 0.0).verdict is not ComparisonVerdict.UNDECIDED for _ in range(count)]
    return float(np.mean(found))


def power(rng: np.random.Generator, world: World, tasks: int, pilot: int, count: int) -> tuple[float, float]:
    """How often a difference of one sigma is found, and with how many seeds per task on average."""
    found: list[bool] = []
    seeds: list[int] = []
    for _ in range(count):
        advice = compared(rng, world, tasks, pilot, 1.0).advice
        if advice is None or advice.for_one_sigma is None:
            # A pilot whose runs are all alike knows no sigma, and gives no advice to follow.
            continue
        seeds.append(advice.for_one_sigma)
        found.append(compared(rng, world, tasks, seeds[-1], 1.0).verdict is ComparisonVerdict.BETTER)
    return float(np.mean(found)), float(np.mean(seeds))


def main(words: Sequence[str]) -> int:
    count = int(words[0]) if words else 1000
    failed = 0
    chosen = {name: world for name, world in WORLDS.items() if name.startswith(tuple(words[1:]) or "")}
    for name, world in chosen.items():
        for tasks, seeds in SIZES:
            alarms = false_alarms(np.random.default_rng(1), world, tasks, seeds, count)
            found, needed = power(np.random.default_rng(2), world, tasks, 5, count // 2)
            failed += alarms > MOST_FALSE or found < LEAST_FOUND
            print(
                f"{name:13s} {tasks} tasks x {seeds} seeds: 'different' in {alarms:6.1%} of {count} A/A comparisons; "
                f"one sigma found in {found:6.1%} with {needed:.1f} seeds as recommended",
                flush=True,
            )
    print("ok" if not failed else f"{failed} of {len(chosen) * len(SIZES)} lines miss the mark")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
