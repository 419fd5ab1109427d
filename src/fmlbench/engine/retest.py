"""Test the winner and the baseline again on fresh seeds, because the best of many steps is biased upward."""

import hashlib
import shutil
import threading
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from fmlbench.core.evaluation import Evaluation, Outcome
from fmlbench.core.task import ExamName
from fmlbench.engine.journal import Journal
from fmlbench.engine.workbench import Workbench
from fmlbench.execution.prepared import PreparedTask
from fmlbench.execution.turns import has_spare_core
from fmlbench.records.events import Retested
from fmlbench.records.folder import RunFolder
from fmlbench.records.provenance import processor_name
from fmlbench.workspace.filing import exclusive, replace_folder, scratch_beside
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
    stop: threading.Event = field(default_factory=threading.Event)

    def run(self, seeds: int) -> None:
        """Retest the baseline and the validation winner on this many seeds that no step has seen."""
        winner = self.journal.state.history(self.prepared.task.metric).best
        indices = (0,) if winner is None or winner.index == 0 else (0, winner.index)
        tested: dict[tuple[int, int], Future[Evaluation]] = {}
        with ThreadPoolExecutor(self._workers()) as pool:
            for index in indices:
                for seed in range(seeds):
                    # Baselines come first, so a winner that waits for its baseline waits for what is under way.
                    tested[index, seed] = pool.submit(self._test, index, seed, tested.get((0, seed)))
            try:
                for (index, seed), future in tested.items():
                    evaluation = future.result()
                    if (index, seed) not in self.journal.state.retests:
                        self.journal.append(Retested(index=index, seed=seed, evaluation=evaluation))
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                self.stop.set()
                raise

    def _workers(self) -> int:
        """Two at a time where there are cores for it."""
        return 2 if has_spare_core(self.prepared.track) else 1

    def _test(self, index: int, seed: int, baseline: Future[Evaluation] | None) -> Evaluation:
        done = self.journal.state.retests.get((index, seed))
        if done is not None:
            return done
        if baseline is None:
            return self._baseline(seed)
        return self._measure(index, seed, baseline.result().metrics if self.prepared.task.has_relative_rules else {})

    def _measure(self, index: int, seed: int, baseline: Mapping[str, float]) -> Evaluation:
        workbench = Workbench(
            prepared=self.prepared,
            files=self.snapshots.read(self.journal.state.steps[index].snapshot),
            folder=self.folder.bench / f"retest-{index}-{seed}",
            label=f"{self.run_id}-r{index}-{seed}",
            purpose=("retest", seed),
            stop=self.stop,
        )
        evaluation = workbench.take_test(baseline)
        workbench.keep(ExamName.TEST, self.folder.retest(index, seed))
        workbench.clear()
        return evaluation

    def _baseline(self, seed: int) -> Evaluation:
        """The baseline on a retest seed: the same for all runs of this task here, so measured once."""
        cached = self._cache() / f"retest-{seed}.json"
        answers = cached.with_suffix("")
        if cached.exists():
            if answers.is_dir():
                shutil.copytree(answers, self.folder.retest(0, seed), dirs_exist_ok=True)
            return Evaluation.model_validate_json(cached.read_bytes())
        evaluation = self._measure(0, seed, {})
        if evaluation.outcome is Outcome.OK:
            cached.parent.mkdir(parents=True, exist_ok=True)
            self._keep_for_others(self.folder.retest(0, seed), answers)
            fresh = cached.with_suffix(f".{self.run_id}")
            fresh.write_text(evaluation.model_dump_json(), "utf-8")
            fresh.replace(cached)
        return evaluation

    @staticmethod
    def _keep_for_others(kept: Path, answers: Path) -> None:
        """Other runs of the task take over the baseline's answers with its score, so that they can be checked too."""
        with exclusive(answers):
            if not answers.exists():
                with scratch_beside(answers) as scratch:
                    shutil.copytree(kept, scratch / "made")
                    replace_folder(scratch / "made", answers)

    def _cache(self) -> Path:
        prepared = self.prepared
        place = (prepared.folder.digest, prepared.python.executable, prepared.sandbox.rung, processor_name())
        key = hashlib.sha256("\0".join(str(part) for part in place).encode()).hexdigest()[:12]
        name = f"{prepared.task.name}-{prepared.track_name}-{prepared.secret.fingerprint}-{key}"
        return self.places.baselines / name
