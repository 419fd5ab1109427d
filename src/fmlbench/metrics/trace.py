"""The data of a run that measures need: steps and scores, without files.

A trace contains hidden scores only after the search is finished.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

import numpy as np
import numpy.typing as npt

from fmlbench.core.evaluation import Evaluation, Metric
from fmlbench.core.notes import Note
from fmlbench.core.run import RetestKey, RunSpec
from fmlbench.core.steps import History, Step, usages_of
from fmlbench.core.task import Calibration, Task
from fmlbench.core.usage import Usage
from fmlbench.records.events import Event, RunFinished, RunStarted, Trouble
from fmlbench.records.folder import RunFolder
from fmlbench.records.log import read_events
from fmlbench.records.replay import replay

Vectors = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Cloud:
    """The vectors of the steps' code, from one embedder."""

    embedder: str
    """Its name and a hash of what determines its vectors."""
    near: float
    """The cosine distance below which two programs of this embedder count as the same idea."""
    points: Vectors
    """One row per step, the baseline first."""


@dataclass(frozen=True)
class Trace:
    """The data of one run."""

    spec: RunSpec
    task: Task
    steps: Sequence[Step]
    notes: Sequence[Note] = ()
    tests: Mapping[int, Evaluation] = field(default_factory=dict[int, Evaluation])
    """Hidden test evaluations by step."""
    retests: Mapping[RetestKey, Evaluation] = field(default_factory=dict[RetestKey, Evaluation])
    """On fresh samples, on the sibling, and with 2% of the training data."""
    reference_similarity: float | None = None
    """The share of the winner's added code that the expert reference adds too."""
    is_over: bool = True
    troubles: int = 0
    """Number of infrastructure failures."""
    wall_seconds: float | None = None
    """From the start of the run to the end of the search."""
    cloud: Cloud | None = None

    @property
    def metric(self) -> Metric:
        """The task's metric."""
        return self.task.metric

    @property
    def proposed(self) -> Sequence[Step]:
        """All steps but the baseline."""
        return self.steps[1:]

    @property
    def usages(self) -> list[Usage]:
        """The usage of every step, and usage that belongs to no step."""
        return usages_of(self.steps, self.notes)

    @property
    def valid(self) -> list[Step]:
        """Proposed steps with a score."""
        return [step for step in self.proposed if step.score is not None]

    @property
    def baseline(self) -> float | None:
        """The baseline's validation score."""
        return self.steps[0].score if self.steps else None

    @property
    def winner(self) -> Step | None:
        """The validation winner; the baseline if no step beat it."""
        return History(metric=self.metric, steps=self.steps).best

    @property
    def calibration(self) -> Calibration | None:
        """The calibration of the run's track."""
        track = self.task.track(self.spec.track, smoke=self.spec.smoke)
        return track.calibration if track else None

    def test_score(self, index: int) -> float | None:
        """A step's score on the hidden test, if it has one."""
        evaluation = self.tests.get(index)
        return evaluation.score if evaluation and evaluation.is_ok else None


def read_trace(folder: RunFolder, task: Task, cloud: Cloud | None = None) -> Trace:
    """The trace of a run's folder."""
    return trace_of([*read_events(folder.events), *read_events(folder.sealed)], folder.read_spec(), task, cloud)


def trace_of(events: Sequence[Event], spec: RunSpec, task: Task, cloud: Cloud | None = None) -> Trace:
    """The trace of some events."""
    state = replay(events)
    is_over = bool(state.finished)
    return Trace(
        spec=spec,
        task=task,
        steps=tuple(state.steps),
        notes=tuple(state.notes),
        tests=state.tests if is_over else {},
        retests=state.retests if is_over else {},
        reference_similarity=state.reference_similarity,
        is_over=is_over,
        troubles=sum(isinstance(event, Trouble) for event in events),
        wall_seconds=_wall_seconds(events),
        cloud=cloud,
    )


def _wall_seconds(events: Sequence[Event]) -> float | None:
    started = [event.at for event in events if isinstance(event, RunStarted)]
    finished = [event.at for event in events if isinstance(event, RunFinished)]
    if not started or not finished:
        return None
    return (datetime.fromisoformat(finished[-1]) - datetime.fromisoformat(started[0])).total_seconds()


def scaled_gain(metric: Metric, score: float, baseline: float) -> float:
    """The gain over the baseline as a share of the range from worst to best score; NaN if the range is empty."""
    span = abs(metric.best - metric.worst)
    return metric.gain(score, baseline) / span if span else math.nan


def clamped_gain(metric: Metric, score: float, baseline: float) -> float:
    """The same, clamped at zero as in the reference scorer."""
    gain = scaled_gain(metric, score, baseline)
    return gain if math.isnan(gain) else max(gain, 0.0)


def best_so_far(trace: Trace, baseline: float) -> Sequence[float]:
    """The scaled gain of the best validation score after each proposed step, starting from the baseline."""
    best, gains = baseline, list[float]()
    for step in trace.proposed:
        if step.score is not None and trace.metric.is_better(step.score, best):
            best = step.score
        gains.append(scaled_gain(trace.metric, best, baseline))
    return gains
