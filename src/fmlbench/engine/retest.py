"""Retest the winner and the baseline, because the score of the best of many steps is biased upward.

They are tested on fresh samples, on the task's sibling, and once with hardly any training data, where a method fails
and memorized knowledge does not.
"""

import hashlib
import shutil
import threading
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path

from fmlbench.core.evaluation import Evaluation, Outcome
from fmlbench.core.run import RetestKey, due_retests
from fmlbench.core.task import ExamName
from fmlbench.engine.session import RunSession
from fmlbench.experiment.evaluator import CandidateEvaluator
from fmlbench.experiment.pipeline import has_spare_core
from fmlbench.records.events import Retested
from fmlbench.records.provenance import processor_name
from fmlbench.workspace.dirs import Dirs
from fmlbench.workspace.files import exclusive, replace_folder, scratch_beside


def retest_purpose(run_seed: int, seed: int) -> tuple[str | int, ...]:
    """The purpose of a retest's sample; runs with the same seed share it, so that they can be compared in pairs."""
    return ("retest", run_seed, seed)


@dataclass(frozen=True)
class Retest:
    """The retests of one run; resumable, because every result is logged immediately."""

    session: RunSession
    dirs: Dirs
    stop: threading.Event = field(default_factory=threading.Event)

    def run(self, seeds: int) -> None:
        """Retest the baseline and the validation winner on this many seeds that no step has seen."""
        task = self.session.prepared.task
        winner = self.session.journal.state.history(task.metric).best
        tested: dict[RetestKey, Future[Evaluation]] = {}
        with ThreadPoolExecutor(self._workers()) as pool:
            for key in due_retests(task, seeds, winner.index if winner else 0):
                # Baselines are submitted first, so a winner only waits for a baseline that is already running or done.
                tested[key] = pool.submit(self._test, key, tested.get(replace(key, index=0)))
            try:
                for key, future in tested.items():
                    evaluation = future.result()
                    if key not in self.session.journal.state.retests:
                        self.session.journal.append(
                            Retested(index=key.index, seed=key.seed, kind=key.kind, evaluation=evaluation)
                        )
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                self.stop.set()
                raise

    def _workers(self) -> int:
        """Two at a time if there are enough cores."""
        return 2 if has_spare_core(self.session.prepared.track) else 1

    def _test(self, key: RetestKey, baseline: Future[Evaluation] | None) -> Evaluation:
        done = self.session.journal.state.retests.get(key)
        if done is not None:
            return done
        if key.index == 0:
            return self._baseline(key)
        # The starved winner has no baseline retest, so relative rules do not apply to it.
        needs_baseline = baseline is not None and self.session.prepared.task.has_relative_rules
        return self._measure(key, baseline.result().metrics if baseline and needs_baseline else {})

    def _measure(self, key: RetestKey, baseline: Mapping[str, float]) -> Evaluation:
        evaluator = CandidateEvaluator(
            prepared=replace(self.session.prepared, world=key.kind.world, train_share=key.kind.train_share),
            files=self.session.snapshots.read(self.session.journal.state.steps[key.index].snapshot),
            folder=self.session.folder.experiments / f"{key.kind}-{key.index}-{key.seed}",
            label=f"{self.session.spec.run_id}-{key.kind}{key.index}-{key.seed}",
            purpose=retest_purpose(self.session.seed, key.seed),
            stop=self.stop,
        )
        evaluation = evaluator.take_test(baseline)
        evaluator.keep(ExamName.TEST, self.session.folder.retest(key))
        evaluator.clear()
        return evaluation

    def _baseline(self, key: RetestKey) -> Evaluation:
        """The baseline on a retest's sample; cached, because it is the same for all runs of this task and seed."""
        cached = self._cache() / f"{key.kind}-{self.session.seed}-{key.seed}.json"
        answers = cached.with_suffix("")
        if cached.exists():
            if answers.is_dir():
                shutil.copytree(answers, self.session.folder.retest(key), dirs_exist_ok=True)
            return Evaluation.model_validate_json(cached.read_bytes())
        evaluation = self._measure(key, {})
        if evaluation.outcome is Outcome.OK:
            cached.parent.mkdir(parents=True, exist_ok=True)
            self._cache_answers(self.session.folder.retest(key), answers)
            fresh = cached.with_suffix(f".{self.session.spec.run_id}")
            fresh.write_text(evaluation.model_dump_json(), "utf-8")
            fresh.replace(cached)
        return evaluation

    @staticmethod
    def _cache_answers(kept: Path, answers: Path) -> None:
        """Cache the baseline's answers for other runs, so that their scores can be verified too."""
        with exclusive(answers):
            if not answers.exists():
                with scratch_beside(answers) as scratch:
                    shutil.copytree(kept, scratch / "answers")
                    replace_folder(scratch / "answers", answers)

    def _cache(self) -> Path:
        prepared = self.session.prepared
        parts = (prepared.folder.digest, prepared.python.executable, prepared.sandbox.isolation, processor_name())
        key = hashlib.sha256("\0".join(str(part) for part in parts).encode()).hexdigest()[:12]
        name = f"{prepared.task.name}-{prepared.track_name}-{prepared.secret.fingerprint}-{key}"
        return self.dirs.baselines / name
