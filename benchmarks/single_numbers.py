"""Is a task research or tuning? Change the likeliest numbers, alone and in pairs, and see how far each change goes.

    python benchmarks/single_numbers.py TASK [--seeds 3] [--only EPISODES] [--pairs]

The changes are listed in the task's single_numbers.toml. A task is tuning if one number goes more than half of the way
from the baseline to the expert reference. All candidates get the samples of `fmlbench tasks check`. With `--pairs` the
best changes are combined, and validation and hidden test are compared over everything that was measured. What was
measured before is not measured again.
"""

import argparse
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import combinations
from pathlib import Path
from statistics import fmean

from fmlbench.cli.dirs import find_dirs
from fmlbench.core.progress import Silent
from fmlbench.core.record import Record
from fmlbench.engine.preparation import prepare
from fmlbench.engine.variants import Variants, VariantScores
from fmlbench.metrics.statistics.correlation import Kind, correlate
from fmlbench.sandbox.fork_server import ForkServer
from fmlbench.tasks.library import find_task

HEADER = """\
| file | number | tried | validation | hidden test | of the way to the reference |
|---|---|---|---|---|---|"""
HALF = 0.5
COMBINED = 3
"""How many of the best numbers are combined in pairs."""


class Change(Record):
    """A number in a file, by the text around it, and what to try instead."""

    file: str
    search: str
    replace: tuple[str, ...]


class Changes(Record):
    """What a task's single_numbers.toml holds."""

    change: tuple[Change, ...]


@dataclass(frozen=True)
class Edit:
    """One value tried for one number."""

    file: str
    old: str
    new: str

    def apply(self, files: Mapping[str, str]) -> dict[str, str]:
        if files[self.file].count(self.old) != 1:
            raise SystemExit(f"{self.file} does not hold exactly one {self.old!r}")
        return {**files, self.file: files[self.file].replace(self.old, self.new)}

    def overlaps(self, other: "Edit") -> bool:
        return self.file == other.file and (self.old in other.old or other.old in self.old)


@dataclass(frozen=True)
class Comparison:
    """Candidates of a task on the same samples, in gains over the baseline; positive is better."""

    variants: Variants
    seeds: int

    def try_edits(self, *edits: Edit) -> VariantScores | str:
        """Scores of the baseline with some numbers changed, or why it has none."""
        files = self.variants.files_of("baseline")
        for edit in edits:
            files = edit.apply(files)
        return self.variants.try_files("number", files, self.seeds)

    def try_variants(self) -> dict[str, VariantScores | str]:
        """The variants that ship with the task."""
        names = ["baseline", "method_off", "reference", *(one.label for one in self.variants.prepared.task.exploits)]
        return {name: self.variants.try_files(name, self.variants.files_of(name), self.seeds) for name in names}

    def gains(self, scores: VariantScores) -> tuple[float, float]:
        """The mean gain on validation and on the hidden test."""
        baseline, gain = self.variants.measure("baseline", self.seeds), self.variants.prepared.task.metric.gain
        validation = fmean(map(gain, scores.validation, baseline.validation))
        return validation, fmean(map(gain, scores.test, baseline.test))

    def row(self, name: str, scores: VariantScores | str) -> str:
        """A line of the table: both gains, and the share of the reference's gain on the hidden test."""
        if isinstance(scores, str):
            return f"{name} {scores} | | |"
        validation, test = self.gains(scores)
        reference = self.variants.measure("reference", self.seeds)
        share = test / self.gains(reference)[1]
        mark = "**" if share > HALF and scores != reference else ""
        return f"{name} {validation:+.4f} | {test:+.4f} | {mark}{round(100 * share)}%{mark} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("task")
    parser.add_argument("--track", default="cpu")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--only", default="", help="try only the numbers whose text contains this")
    parser.add_argument("--pairs", action="store_true", help="combine the best changes, and correlate both exams")
    options = parser.parse_args()
    folder, dirs = find_task(options.task), find_dirs()
    with ForkServer() as server:
        prepared = prepare(folder, options.track, dirs=dirs, sandbox=server, progress=Silent())
        comparison = Comparison(Variants(prepared, dirs, Silent()), options.seeds)
        edits = list(read_edits(folder.path / "single_numbers.toml", options.only))
        compare(comparison, edits, with_pairs=options.pairs)


def read_edits(path: Path, only: str) -> Iterator[Edit]:
    """Every value that a task's list tries for a number that contains a text."""
    for change in Changes.model_validate(tomllib.loads(path.read_text("utf-8"))).change:
        if only in change.search:
            yield from (Edit(change.file, change.search, new) for new in change.replace)


def compare(comparison: Comparison, edits: list[Edit], *, with_pairs: bool) -> None:
    """Print a row for each candidate, and how well both exams agree."""
    for name in ("baseline", "reference"):
        scores = comparison.variants.measure(name, comparison.seeds)
        print(f"{name}: {fmean(scores.validation):.4f} on validation, {fmean(scores.test):.4f} on the hidden test")
    print(f"{datetime.now(UTC).date()}, {comparison.seeds} seeds; gains over the baseline, positive is better.\n")
    print(HEADER, flush=True)
    tried: dict[tuple[Edit, ...], VariantScores | str] = {}
    for edit in edits:
        tried[edit,] = _try_and_print(comparison, edit)
    if not with_pairs:
        return
    for pair in combinations(_best_numbers(comparison, tried), 2):
        tried[pair] = _try_and_print(comparison, *pair)
    shipped = comparison.try_variants()
    for name, scores in shipped.items():
        print(comparison.row(f"| | | {name} |", scores), flush=True)
    print("\nSpearman's correlation of validation and hidden test:")
    print(f"all candidates {agreement([*tried.values(), *shipped.values()])}")
    print(f"changed numbers alone {agreement([*tried.values()])}")


def agreement(candidates: list[VariantScores | str]) -> str:
    """Spearman's correlation of the means on both exams, over the candidates that have scores."""
    means = [(fmean(one.validation), fmean(one.test)) for one in candidates if not isinstance(one, str)]
    correlation = correlate(means, Kind.SPEARMAN)
    return f"{correlation.r:.2f} (n = {len(means)})" if correlation else f"undefined (n = {len(means)})"


def _best_numbers(comparison: Comparison, tried: dict[tuple[Edit, ...], VariantScores | str]) -> list[Edit]:
    """The best changes on the hidden test that can be combined: no two of them change the same text."""
    gains = {edit: comparison.gains(scores)[1] for (edit,), scores in tried.items() if not isinstance(scores, str)}
    best: list[Edit] = []
    for edit in sorted(gains, key=lambda edit: -gains[edit]):
        if not any(edit.overlaps(other) for other in best):
            best.append(edit)
    return best[:COMBINED]


def _try_and_print(comparison: Comparison, *edits: Edit) -> VariantScores | str:
    scores = comparison.try_edits(*edits)
    files = ", ".join(sorted({edit.file for edit in edits}))
    old, new = _quote(edit.old for edit in edits), _quote(edit.new for edit in edits)
    print(comparison.row(f"| {files} | {old} | {new} |", scores), flush=True)
    return scores


def _quote(texts: Iterable[str]) -> str:
    return ", ".join(f"`{' '.join(text.split())}`" for text in texts)


if __name__ == "__main__":
    main()
