"""Measure the overhead of the harness.

    python benchmarks/overhead.py [--quick]

Compare ratios, because machines are shared and noisy. Every figure is printed with its aim.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from rich.console import Console
from rich.table import Table

from fmlbench.agents.registry import agent_spec
from fmlbench.core.evaluation import Evaluation, Outcome
from fmlbench.core.progress import Silent
from fmlbench.core.run import Budget, Isolation, RunSpec
from fmlbench.core.steps import Move, Operator, Step
from fmlbench.core.task import Limits
from fmlbench.core.usage import Usage
from fmlbench.engine.preparation import prepare
from fmlbench.engine.run import create, execute_run, load_run
from fmlbench.experiment.prepared_task import PreparedTask
from fmlbench.records.events import Event, ProposalMade, StepFinished, StepStarted
from fmlbench.records.folder import RunFolder
from fmlbench.records.log import EventLog
from fmlbench.records.replay import read_state
from fmlbench.sandbox.environments import machine_python
from fmlbench.sandbox.isolation import open_sandbox
from fmlbench.sandbox.protocol import Execution, Job, Mount, Sandbox
from fmlbench.tasks.library import find_task
from fmlbench.workspace.dirs import Dirs

ROOM = Limits(cpu_seconds=600, wall_seconds=3600, memory_mb=2048)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--quick", action="store_true", help="smaller sizes, for a first look")
    arguments.add_argument("--cache", type=Path, default=Path("build/test-cache"), help="where environments lie")
    options = arguments.parse_args()
    table = Table("what", "measured", "aim")
    with tempfile.TemporaryDirectory(prefix="fmlbench-overhead-") as folder:
        dirs = Dirs(cache=options.cache.resolve(), runs=Path(folder) / "runs")
        toy = prepare(find_task("toy"), "cpu", dirs=dirs, sandbox=open_sandbox(Isolation.BUBBLEWRAP), progress=Silent())
        for row in (
            seal(Path(folder), seconds=2 if options.quick else 10, rounds=2 if options.quick else 5),
            noop_steps(toy, dirs, steps=3 if options.quick else 20),
            resume(Path(folder), steps=1000),
            starts(),
            big_output(toy, dirs, megabytes=200 if options.quick else 2048),
        ):
            for line in row:
                table.add_row(*line)
    Console().print(table)


def seal(folder: Path, seconds: float, rounds: int) -> list[tuple[str, str, str]]:
    """The same CPU-bound stage sealed and unsealed, taking turns."""
    work = folder / "work"
    work.mkdir()
    (work / "burn.py").write_text(
        "import time\n"
        f"end = time.process_time() + {seconds}\n"
        "while time.process_time() < end:\n    sum(i * i for i in range(10_000))\n"
    )
    took: dict[Isolation, list[float]] = {Isolation.BUBBLEWRAP: [], Isolation.NONE: []}
    for number in range(rounds):
        for isolation, times in took.items():
            job = Job(
                name=f"overhead-{isolation}-{number}",
                python=machine_python(),
                script="work/burn.py",
                mounts=(Mount(work, "work"),),
                limits=ROOM,
                log=folder / "log.txt",
            )
            started = time.monotonic()
            execution = open_sandbox(isolation).run(job)
            # Wall time per CPU second, so that a busy machine slows both sides of the ratio alike.
            times.append((time.monotonic() - started) / max(execution.cpu_seconds, 0.01) * seconds)
    ratio = min(took[Isolation.BUBBLEWRAP]) / min(took[Isolation.NONE])
    return [(f"sealed / unsealed, a stage of {seconds:g} CPU seconds (best of {rounds})", f"{ratio:.3f}", "<= 1.05")]


class Stopwatch:
    """A sandbox that notes when candidate processes ran."""

    def __init__(self, inner: Sandbox) -> None:
        self.inner = inner
        self.candidate = 0.0
        self.grader = 0.0

    @property
    def isolation(self) -> Isolation:
        return self.inner.isolation

    def run(self, job: Job) -> Execution:
        execution = self.inner.run(job)
        if "task/driver.py" in job.arguments:
            self.candidate += execution.seconds
        else:
            self.grader += execution.seconds
        return execution


def noop_steps(toy: PreparedTask, dirs: Dirs, steps: int) -> list[tuple[str, str, str]]:
    """What a step takes besides the candidate's own processes: trees, sandboxes, snapshots, logs; two graders."""
    stopwatch = Stopwatch(toy.sandbox)
    spec = toy_spec(toy, steps, "noop", {})
    folder = create(spec, dirs)
    started = time.monotonic()
    execute_run(load_run(folder, dirs, lambda _: stopwatch), progress=Silent(), watch=lambda _: None)
    outside = (time.monotonic() - started - stopwatch.candidate) / (steps + 1)
    graders = stopwatch.grader / (steps + 1)
    return [
        (f"harness seconds per no-op step (n = {steps + 1})", f"{outside - graders:.3f} s", "<= 0.25 s"),
        ("the task's two graders (Python and NumPy starting)", f"{graders:.3f} s", ""),
    ]


def toy_spec(toy: PreparedTask, steps: int, agent: str, settings: dict[str, str]) -> RunSpec:
    return RunSpec(
        task="toy",
        task_digest=toy.folder.digest,
        track="cpu",
        agent=agent_spec(agent, settings),
        seed=0,
        budget=Budget(steps=steps),
        isolation=Isolation.BUBBLEWRAP,
        retest_seeds=0,
    )


def resume(folder: Path, steps: int) -> list[tuple[str, str, str]]:
    """Reading a long run's log back."""
    run = RunFolder(folder / "long-run")
    run.path.mkdir()
    write_log(run, steps)
    seconds = best_of(3, lambda: read_state(run))
    size = run.events.stat().st_size / 2**20
    return [(f"replay of a {steps}-step log ({size:.1f} MB)", f"{seconds:.3f} s", "< 2 s")]


def write_log(run: RunFolder, steps: int) -> None:
    tail = "a line of a traceback\n" * 180
    with EventLog(run.events) as log:
        for index in range(steps):
            move = Move(operator=Operator.IMPROVE, parents=(max(0, index - 1),))
            evaluation = Evaluation(outcome=Outcome.OK, score=0.5, metrics={"accuracy": 0.5}, log_tail=tail)
            step = Step(index=index, move=move, idea="an idea " * 10, snapshot="0" * 40, evaluation=evaluation)
            proposal = ProposalMade(index=index, move=move, idea=step.idea, snapshot=step.snapshot, usage=Usage())
            events: tuple[Event, ...] = (proposal, StepStarted(index=index, attempt=1), StepFinished(step=step))
            for event in events:
                log.append(event)


def starts() -> list[tuple[str, str, str]]:
    """How long a user waits for nothing."""
    python = [sys.executable, "-c"]
    bare = best_of(5, lambda: subprocess.run([*python, "pass"], check=True))
    imported = best_of(5, lambda: subprocess.run([*python, "import fmlbench"], check=True))
    helped = best_of(
        5,
        lambda: subprocess.run(
            [*python, "from fmlbench.cli.app import main; main()", "--help"], check=True, capture_output=True
        ),
    )
    return [
        ("import fmlbench, beyond Python's own start", f"{imported - bare:.3f} s", "< 0.3 s"),
        ("fmlbench --help", f"{helped:.3f} s", "< 0.3 s idle"),
    ]


def big_output(toy: PreparedTask, dirs: Dirs, megabytes: int) -> list[tuple[str, str, str]]:
    """The harness's own peak memory while a candidate prints without end, in a process of its own."""
    noise = f"import sys\nfor _ in range({megabytes}):\n    sys.stdout.write('x' * (2**20 - 1) + '\\n')\n"
    training = (toy.codebase / "tinylearn" / "training.py").read_text("utf-8")
    script = dirs.runs / "noisy.json"
    script.parent.mkdir(parents=True, exist_ok=True)
    script.write_text(json.dumps([{"idea": "noise", "files": {"tinylearn/training.py": noise + training}}]))
    run = create(toy_spec(toy, 1, "scripted", {"script": str(script)}), dirs)
    before = "import resource; print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
    code = (
        "import sys; from pathlib import Path; from fmlbench.engine.run import execute_run, load_run;"
        "from fmlbench.core.progress import Silent; from fmlbench.records.folder import RunFolder;"
        "from fmlbench.workspace.dirs import Dirs;"
        "dirs = Dirs(cache=Path(sys.argv[1]), runs=Path(sys.argv[2]));"
        "execute_run(load_run(RunFolder(Path(sys.argv[3])), dirs), progress=Silent(), watch=lambda _: None);" + before
    )
    command = [sys.executable, "-c", code, str(dirs.cache), str(dirs.runs), str(run.path)]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    outcome = read_state(run).steps[-1].evaluation.outcome
    peak = int(printed.split()[-1]) / 1024
    return [(f"harness peak memory, a step that prints {megabytes} MB ({outcome})", f"{peak:.0f} MB", "< 200 MB")]


def best_of(rounds: int, action: Callable[[], object]) -> float:
    times: list[float] = []
    for _ in range(rounds):
        started = time.perf_counter()
        action()
        times.append(time.perf_counter() - started)
    return min(times)


if __name__ == "__main__":
    main()
