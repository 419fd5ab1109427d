"""Is a task research or tuning? Change the likeliest single numbers, one at a time, and measure the gain.

    python benchmarks/single_numbers.py TASK [--seeds 3] [--only EPISODES]

The changes are listed in the task's single_numbers.toml. A task is tuning if one number alone gains more than half of
the distance from the baseline to the expert reference. All changes use the samples of `fmlbench tasks check`.
"""

import argparse
import tempfile
import tomllib
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from fmlbench.cli.dirs import find_dirs
from fmlbench.core.evaluation import Evaluation
from fmlbench.core.progress import Silent
from fmlbench.core.record import Record
from fmlbench.engine.preparation import prepare
from fmlbench.engine.variants import Variants, VariantScores
from fmlbench.experiment.evaluator import CandidateEvaluator
from fmlbench.sandbox.fork_server import ForkServer
from fmlbench.tasks.library import find_task

HALF = 0.5


class Change(Record):
    """A number in a file, by the text around it, and what to try instead."""

    file: str
    search: str
    replace: tuple[str, ...]


class Changes(Record):
    """What a task's single_numbers.toml holds."""

    change: tuple[Change, ...]


@dataclass(frozen=True)
class Trial:
    """One changed number over the seeds."""

    file: str
    old: str
    new: str
    evaluations: list[tuple[Evaluation, Evaluation]]

    def row(self, baseline: VariantScores, reference: VariantScores) -> str:
        """A line of the table: both gains over the baseline on the same draws, and the share of the reference's."""
        name = f"| {self.file} | `{_on_one_line(self.old)}` | `{_on_one_line(self.new)}` |"
        failed = next((one for pair in self.evaluations for one in pair if not one.is_ok), None)
        if failed:
            return f"{name} {failed.outcome} | | |"
        validation = _gain([pair[0].score or 0.0 for pair in self.evaluations], baseline.validation)
        test = _gain([pair[1].score or 0.0 for pair in self.evaluations], baseline.test)
        share = test / _gain(reference.test, baseline.test)
        verdict = " **tuning**" if share > HALF else ""
        return f"{name} {validation:+.4f} | {test:+.4f} | {share:.0%}{verdict} |"


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("task")
    arguments.add_argument("--track", default="cpu")
    arguments.add_argument("--seeds", type=int, default=3)
    arguments.add_argument("--only", default="", help="try the numbers whose text holds this, no others")
    options = arguments.parse_args()
    folder, dirs = find_task(options.task), find_dirs()
    with ForkServer() as server:
        prepared = prepare(folder, options.track, dirs=dirs, sandbox=server, progress=Silent())
        changes = Changes.model_validate(tomllib.loads((folder.path / "single_numbers.toml").read_text("utf-8")))
        chosen = [one for one in changes.change if options.only in one.search]
        try_changes(Variants(prepared, dirs, Silent()), chosen, options.seeds)


def try_changes(variants: Variants, changes: list[Change], seeds: int) -> None:
    """Print a row for each number and each value tried instead."""
    baseline, reference = variants.measure("baseline", seeds), variants.measure("reference", seeds)
    print(
        f"baseline {fmean(baseline.test):.4f}, reference {fmean(reference.test):.4f} on test, {seeds} seeds\n",
        flush=True,
    )
    print("| file | number | tried | validation | test | of the way to the reference |\n|---|---|---|---|---|---|")
    for change in changes:
        for new in change.replace:
            files = dict(variants.files_of("baseline"))
            if files[change.file].count(change.search) != 1:
                raise SystemExit(f"{change.file} does not hold exactly one {change.search!r}")
            files[change.file] = files[change.file].replace(change.search, new)
            trial = Trial(change.file, change.search, new, [_evaluate(variants, files, seed) for seed in range(seeds)])
            print(trial.row(baseline, reference), flush=True)


def _evaluate(variants: Variants, files: dict[str, str], seed: int) -> tuple[Evaluation, Evaluation]:
    prepared = variants.prepared
    on_validation, on_test = variants.baseline_metrics("number", seed)
    with tempfile.TemporaryDirectory(prefix="fmlbench-number-") as scratch:
        evaluator = CandidateEvaluator(
            prepared=prepared,
            files=files,
            folder=Path(scratch) / "bench",
            label=f"number-{prepared.task.name}-{seed}",
            purpose=("check", seed),
        )
        validation = evaluator.validate(on_validation)
        return validation, evaluator.take_test(on_test) if validation.is_ok else validation


def _gain(scores: list[float], baseline: list[float]) -> float:
    return fmean(score - base for score, base in zip(scores, baseline, strict=True))


def _on_one_line(text: str) -> str:
    return " ".join(text.split())


if __name__ == "__main__":
    main()
