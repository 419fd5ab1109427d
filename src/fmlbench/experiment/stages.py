"""The jobs of an experiment's stages: what each of them may see, and for how long it may run."""

import json
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from fmlbench.core.task import ExamName, Limits, Training
from fmlbench.experiment.experiment_dir import ExperimentDir
from fmlbench.experiment.prepared_task import PreparedTask
from fmlbench.experiment.samples import Sample
from fmlbench.sandbox.protocol import Job, Mount, mounts_of

KIT = Path(str(resources.files("fmlbench.experiment") / "kit"))


@dataclass(frozen=True)
class Stages:
    """Makes the jobs of one candidate on one draw."""

    prepared: PreparedTask
    draw: Sample
    bench: ExperimentDir
    stop: threading.Event

    def training(self, training: Training) -> Job:
        """The job of a training stage, which finds its folder here and leaves its native files in ``out``."""
        folder = self.bench.training(training)
        out = folder / "out"
        out.mkdir(parents=True)
        carry = self.bench.carry / training.name if training.alone else self.bench.carry
        carry.mkdir(exist_ok=True)
        mounts = (
            Mount(carry, "carry", writable=True),
            Mount(out, "out", writable=True),
            *(Mount(self.draw.visible(part), f"data/{part}") for part in training.data),
        )
        return self._job(training.name, training.limits, folder, mounts)

    def exam(self, exam: ExamName, exam_pass: str, mounts: Sequence[Mount], pipe: tuple[int, int] | None) -> Job:
        """The job of a sitting, with the sitting's own mounts and, where questions come one by one, the pipe's ends."""
        folder = self.bench.exam_pass(exam, exam_pass)
        mounts = (Mount(self.bench.carry, "carry"), *mounts)
        # The stage is called "exam" whichever exam it is: candidates are not told.
        return self._job("exam", self.prepared.track.exam.limits, folder, mounts, job=f"{exam}-{exam_pass}", pipe=pipe)

    def _job(
        self,
        stage: str,
        limits: Limits,
        folder: Path,
        mounts: Sequence[Mount],
        *,
        job: str = "",
        pipe: tuple[int, int] | None = None,
    ) -> Job:
        track = self.prepared.track
        facts = {
            "stage": stage,
            "seed": self.draw.seed,
            "threads": track.threads,
            "settings": track.settings,
            "pipe": pipe,
        }
        (folder / "stage.json").write_text(json.dumps(facts), "utf-8")
        return Job(
            name=f"{self.bench.label}-{job or stage}",
            python=self.prepared.python,
            script="kit/start.py",
            arguments=("task/driver.py",),
            mounts=(
                Mount(self.bench.tree, "repo"),
                *mounts_of(self.prepared.folder.experiment, "task"),
                Mount(KIT, "kit"),
                Mount(folder / "stage.json", "stage.json"),
                *mounts,
            ),
            limits=limits,
            log=folder / "log.txt",
            threads=track.threads,
            devices=track.devices,
            pass_fds=pipe or (),
            stop=self.stop,
        )
