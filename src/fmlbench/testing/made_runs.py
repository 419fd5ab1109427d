"""Runs that were never played: folders with logs and snapshots like real ones, for tests and benchmarks of reports.

make_run(runs, agent="greedy", seed=1, steps=20)     a search of twenty steps, some of which fail
make_run(runs, ideas=["<script>"], steps=3)          what an agent might write
make_run(runs, seed=2, like=first)                   the code of another run, with different scores
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from fmlbench.core.evaluation import Evaluation, Outcome
from fmlbench.core.run import AgentSpec, Budget, Isolation, RetestKind, RunSpec, due_retests
from fmlbench.core.steps import History, Move, Operator, Step
from fmlbench.core.task import Task
from fmlbench.core.usage import Usage
from fmlbench.records.events import (
    EVENTS,
    Event,
    ProposalMade,
    Retested,
    RunFinished,
    RunStarted,
    StepFinished,
    StepStarted,
    TestScored,
)
from fmlbench.records.folder import RunFolder
from fmlbench.records.provenance import describe_machine
from fmlbench.records.replay import read_state
from fmlbench.tasks.library import find_task
from fmlbench.workspace.snapshots import Snapshots

CODE_LINES = 120
_FAILURES = (
    Outcome.CRASHED,
    Outcome.CRASHED,
    Outcome.TIMEOUT,
    Outcome.INVALID,
    Outcome.REJECTED,
    Outcome.OUT_OF_MEMORY,
)


@dataclass(frozen=True)
class Coded:
    """A step before it has a score: its move, its idea and the code it led to."""

    move: Move
    idea: str
    snapshot: str


def make_run(
    runs: Path,
    *,
    agent: str = "greedy",
    model: str = "",
    seed: int = 0,
    steps: int = 20,
    task: Task | None = None,
    skill: float = 0.5,
    ideas: Sequence[str] = (),
    is_over: bool = True,
    isolation: Isolation = Isolation.BUBBLEWRAP,
    like: RunFolder | None = None,
) -> RunFolder:
    """Write the folder of a run; ``skill`` is how many sigma an average step is better than its parent."""
    task = task or find_task("toy").on("cpu").task
    rng = Random(f"{task.name} {agent} {seed}")
    spec = RunSpec(
        task=task.name,
        task_digest="0" * 64,
        track="cpu",
        agent=AgentSpec(name=agent, strategy="made-up", proposer="made-up", model=model),
        seed=seed,
        budget=Budget(steps=steps),
        isolation=isolation,
    )
    folder = RunFolder(runs / spec.run_id)
    folder.path.mkdir(parents=True)
    folder.spec_file.write_text(spec.model_dump_json(), "utf-8")
    coded = _share_code(like, folder) if like else _write_code(folder, steps, ideas, rng)
    played = _play(coded, task, skill, rng)
    origin = describe_machine(environment="made-up", sandbox=str(isolation), secret="none")  # noqa: S106 - not a secret
    _write(folder.events, [RunStarted(spec=spec, task=task, provenance=origin), *_open_events(played, is_over=is_over)])
    _write(folder.sealed, _sealed_events(played, task, rng) if is_over else [])
    return folder


def _write_code(folder: RunFolder, steps: int, ideas: Sequence[str], rng: Random) -> list[Coded]:
    """A tree of programs, each a few lines away from its parent."""
    store = Snapshots(folder.code)
    codes = [[f"value_{line} = combine(value_{line - 1}, width={line})" for line in range(CODE_LINES)]]
    coded: list[Coded] = []
    for index in range(steps + 1):
        move = Move(operator=Operator.BASELINE, parents=())
        if index:
            parent = rng.choice(range(max(0, index - 4), index))
            move = Move(operator=Operator.IMPROVE, parents=(parent,))
            codes.append(_changed(codes[parent], rng))
        idea = ideas[(index - 1) % len(ideas)] if ideas and index else f"widen the layers a little, try {index}"
        files = {"model/layers.py": "\n".join(codes[index]) + "\n"}
        above = [coded[parent].snapshot for parent in move.parents]
        coded.append(Coded(move, idea, store.store(files, above, f"step {index}", f"refs/heads/steps/{index}")))
    return coded


def _changed(code: Sequence[str], rng: Random) -> list[str]:
    """The program with a twentieth of its lines rewritten."""
    changed = list(code)
    for line in rng.sample(range(CODE_LINES), CODE_LINES // 20):
        changed[line] = (
            f"value_{line} = {rng.choice(['combine', 'normalise', 'project'])}(value_{line - 1}, {rng.random():.3f})"
        )
    return changed


def _share_code(like: RunFolder, folder: RunFolder) -> list[Coded]:
    folder.code.symlink_to(like.code.resolve())
    return [Coded(step.move, step.idea, step.snapshot) for step in read_state(like).steps]


def _play(coded: Sequence[Coded], task: Task, skill: float, rng: Random) -> list[Step]:
    """Give every step an outcome; a step on top of a better one tends to be better."""
    calibration = next(iter(task.tracks.values())).calibration
    mean, sigma = (
        (calibration.baseline.validation.mean, calibration.baseline.validation.sd) if calibration else (0.5, 0.02)
    )
    truths: list[float] = []
    steps: list[Step] = []
    for index, one in enumerate(coded):
        better = task.metric.gain(1.0, 0.0) * sigma
        parents = [truths[parent] for parent in one.move.parents]
        truths.append(max(parents) + rng.gauss(skill, 1.5) * better if parents else mean)
        has_failed = index > 0 and rng.random() < 0.25
        evaluation = (
            Evaluation(
                outcome=rng.choice(_FAILURES),
                reason="it was to fail",
                log_tail="Traceback: it was to fail\n",
                seconds=3,
            )
            if has_failed
            else Evaluation(outcome=Outcome.OK, score=truths[-1] + rng.gauss(0, sigma), seconds=20 + 5 * rng.random())
        )
        usage = Usage(calls=2, input_tokens=9000, output_tokens=1500, dollars=0.04, seconds=6) if index else Usage()
        steps.append(
            Step(index=index, move=one.move, idea=one.idea, snapshot=one.snapshot, evaluation=evaluation, usage=usage)
        )
    return steps


def _open_events(steps: Sequence[Step], *, is_over: bool) -> list[Event]:
    events: list[Event] = []
    for step in steps:
        made = ProposalMade(index=step.index, move=step.move, idea=step.idea, snapshot=step.snapshot, usage=step.usage)
        events += [made, StepStarted(index=step.index, attempt=1), StepFinished(step=step)]
    return [*events, RunFinished(reason="the budget is spent")] if is_over else events


def _sealed_events(steps: Sequence[Step], task: Task, rng: Random) -> list[Event]:
    """Hidden test scores near the validation scores, and retests of the winner and the baseline."""
    scores = {step.index: step.score + rng.gauss(0, 0.01) for step in steps if step.score is not None}
    events: list[Event] = [TestScored(index=index, evaluation=_scored(score)) for index, score in scores.items()]
    winner = History(metric=task.metric, steps=steps).best
    return [
        *events,
        *(
            Retested(
                index=key.index,
                seed=key.seed,
                kind=key.kind,
                evaluation=_scored(scores[0 if key.kind is RetestKind.STARVED else key.index] + rng.gauss(0, 0.005)),
            )
            for key in due_retests(task, 3, winner.index if winner else 0)
        ),
    ]


def _scored(score: float) -> Evaluation:
    return Evaluation(outcome=Outcome.OK, score=score, seconds=4)


def _write(path: Path, events: Sequence[Event]) -> None:
    path.write_bytes(b"".join(EVENTS.dump_json(event) + b"\n" for event in events))
