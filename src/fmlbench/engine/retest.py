"""Test the winner and the baseline again on fresh seeds, because the best of many steps is biased upward."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from fmlbench.core.evaluation import Evaluation, Outcome
from fmlbench.engine.journal import Journal
from fmlbench.engine.workbench import Workbench
from fmlbench.execution.prepared import PreparedTask
from fmlbench.records.events import Retested
from fmlbench.records.folder import RunFolder
from fmlbench.records.provenance import processor_name
from fmlbench.workspace.places import Places
from fmlbench.workspace.snapshots import Snapshots


@dataclass(frozen=True)
class Retest:
    """The retest of one run; resumable, for every result is logged as it comes."""

    run_id: str
    prepared: PreparedTask
    folder: RunFolder
    journal: Journal
    snapshots: Snapshots
    places: Places

    def run(self, seeds: int) -> None:
        """Retest the baseline and the validation winner on this many seeds that no step has seen."""
        winner = self.journal.state.history(self.prepared.task.metric).best
        for seed in range(seeds):
            baseline = self._logged(0, seed, {})
            if winner is not None and winner.index != 0:
                self._logged(winner.index, seed, baseline.metrics)

    def _logged(self, index: int, seed: int, baseline: Mapping[str, float]) -> Evaluation:
        done = self.journal.state.retests.get((index, seed))
        if done is None:
            done = self._baseline(seed) if index == 0 else self._measure(index, seed, baseline)
            self.journal.append(Retested(index=index, seed=seed, evaluation=done))
        return done

    def _measure(self, index: int, seed: int, baseline: Mapping[str, float]) -> Evaluation:
        workbench = Workbench(
            prepared=self.prepared,
            files=self.snapshots.read(self.journal.state.steps[index].snapshot),
            folder=self.folder.bench / f"retest-{index}-{seed}",
            label=f"{self.run_id}-r{index}-{seed}",
            purpose=("retest", seed),
        )
        evaluation = workbench.take_test(baseline)
        workbench.clear()
        return evaluation

    def _baseline(self, seed: int) -> Evaluation:
        """The baseline on a retest seed: the same for all runs of this task here, so measured once."""
        cached = self._cache() / f"retest-{seed}.json"
        if cached.exists():
            return Evaluation.model_validate_json(cached.read_bytes())
        evaluation = self._measure(0, seed, {})
        if evaluation.outcome is Outcome.OK:
            cached.parent.mkdir(parents=True, exist_ok=True)
            fresh = cached.with_suffix(f".{self.run_id}")
            fresh.write_text(evaluation.model_dump_json(), "utf-8")
            fresh.replace(cached)
        return evaluation

    def _cache(self) -> Path:
        prepared = self.prepared
        place = (prepared.folder.digest, prepared.python.executable, prepared.sandbox.rung, processor_name())
        key = hashlib.sha256("\0".join(str(part) for part in place).encode()).hexdigest()[:12]
        name = f"{prepared.task.name}-{prepared.track_name}-{prepared.secret.fingerprint}-{key}"
        return self.places.baselines / name
