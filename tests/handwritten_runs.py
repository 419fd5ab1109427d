"""Runs written by hand: every event is known, so every figure of a report can be worked out on paper."""

import io
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console, RenderableType

from fmlbench.core.evaluation import Evaluation, Outcome
from fmlbench.core.run import AgentSpec, Budget, Isolation, RunSpec
from fmlbench.core.steps import Move, Operator, Step
from fmlbench.core.task import Calibration, Figure, Measured, Task
from fmlbench.core.usage import Usage
from fmlbench.records.events import Event, Retested, RunFinished, RunStarted, StepFinished, TestScored
from fmlbench.records.folder import RunFolder
from fmlbench.records.log import EventLog
from fmlbench.records.provenance import Provenance
from fmlbench.records.replay import RunState, replay
from fmlbench.tasks.library import find_task

PROVENANCE = Provenance(
    fmlbench="0",
    python="3",
    platform="Linux",
    processor="one",
    cores=2,
    memory_mb=1000,
    environment="numpy",
    sandbox="bubblewrap",
    secret="0",
)


def spec_of(
    isolation: Isolation = Isolation.BUBBLEWRAP, *, steps: int = 3, retests: int = 3, label: str = ""
) -> RunSpec:
    return RunSpec(
        task="toy",
        task_digest="0" * 64,
        track="cpu",
        agent=AgentSpec(name="greedy", strategy="greedy", proposer="mutate"),
        seed=7,
        budget=Budget(steps=steps),
        isolation=isolation,
        retest_seeds=retests,
        label=label,
    )


def started(spec: RunSpec) -> RunStarted:
    return RunStarted(spec=spec, provenance=PROVENANCE)


def baseline(score: float = 0.5, *, seconds: float = 2.0) -> StepFinished:
    move = Move(operator=Operator.BASELINE, parents=())
    evaluation = Evaluation(outcome=Outcome.OK, score=score, seconds=seconds)
    return StepFinished(step=Step(index=0, move=move, idea="baseline", snapshot="a" * 40, evaluation=evaluation))


def step(
    index: int,
    result: float | Evaluation,
    *,
    idea: str = "an idea",
    parents: tuple[int, ...] = (0,),
    usage: Usage | None = None,
    move: Move | None = None,
) -> StepFinished:
    """A step that took two seconds to run and one to propose."""
    if not isinstance(result, Evaluation):
        result = Evaluation(outcome=Outcome.OK, score=result, seconds=2.0)
    move = move or Move(operator=Operator.IMPROVE, parents=parents)
    usage = usage or Usage(seconds=1.0)
    return StepFinished(step=Step(index=index, move=move, idea=idea, snapshot="b" * 40, evaluation=result, usage=usage))


def hidden_score(index: int, score: float) -> TestScored:
    return TestScored(index=index, evaluation=Evaluation(outcome=Outcome.OK, score=score))


def retested(index: int, *scores: float) -> list[Event]:
    return [
        Retested(index=index, seed=seed, evaluation=Evaluation(outcome=Outcome.OK, score=score))
        for seed, score in enumerate(scores)
    ]


def complete_run(spec: RunSpec) -> list[Event]:
    """A baseline of 0.5, a better step, a crash; retested on three seeds."""
    return [
        started(spec),
        baseline(0.5),
        step(1, 0.7, idea="twice the width"),
        step(2, Evaluation(outcome=Outcome.CRASHED, reason="NameError: eyes", seconds=2.0), parents=(1,)),
        RunFinished(reason="the budget is spent"),
        hidden_score(0, 0.48),
        hidden_score(1, 0.66),
        *retested(0, 0.50, 0.46, 0.48),
        *retested(1, 0.66, 0.64, 0.68),
    ]


def state_of(*events: Event) -> RunState:
    return replay(events)


def write_run(runs: Path, spec: RunSpec, events: Sequence[Event]) -> RunFolder:
    """The folder that a run with these events would have left."""
    folder = RunFolder(runs / spec.run_id)
    folder.path.mkdir(parents=True, exist_ok=True)
    folder.spec_file.write_text(spec.model_dump_json())
    with EventLog(folder.events) as public, EventLog(folder.sealed) as sealed:
        for event in events:
            (sealed if isinstance(event, TestScored | Retested) else public).append(event)
    return folder


def toy(*, test_sd: float | None = None) -> Task:
    """The toy task, with this noise on record or none."""
    task = find_task("toy").task
    calibration = _calibration(test_sd) if test_sd is not None else None
    track = task.tracks["cpu"].model_copy(update={"calibration": calibration})
    return task.model_copy(update={"tracks": {"cpu": track}})


def _calibration(test_sd: float) -> Calibration:
    figure = Figure(mean=0.5, sd=test_sd, n=10)
    measured = Measured(validation=figure, test=figure)
    return Calibration(
        baseline=measured,
        method_off=measured,
        reference=measured,
        step_cpu_seconds=1,
        peak_memory_mb=100,
        machine="one",
        date="2026-01-01",
    )


def rendered(report: RenderableType, *, width: int = 200, terminal: bool = False) -> str:
    """What a console would show of a report."""
    screen = io.StringIO()
    Console(file=screen, width=width, force_terminal=terminal, highlight=False, markup=False).print(report)
    return screen.getvalue()
